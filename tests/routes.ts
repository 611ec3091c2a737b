import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { createRouter } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { dashboard } from '../views/dashboard/app.ts'

// Run by contract/methods.test.ts in its own process, because it opens a database. Prints every route of the service and
// its dashboard.

const file = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
const config = readConfig({ DATABASE_URL: `file:${file}`, LOG_LEVEL: 'silent' })
const service = await startService(config, openLog(config.logLevel))
const failed = (_: Request, error: unknown): never => {
  throw error
}
const app = createRouter(service, failed)
console.log(JSON.stringify([...app.routes, ...dashboard(service).routes].map(({ method, path }) => ({ method, path }))))
await service.stop()
rmSync(dirname(file), { recursive: true })
process.exit(0)
