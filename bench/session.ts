import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { readConfig } from '../src/config/config.ts'
import { sessionReader } from '../src/identity/sessions.ts'
import { createApp } from '../src/runtime/app.ts'
import { openLog } from '../src/runtime/log.ts'
import { startService } from '../src/runtime/service.ts'
import { median } from './figures.ts'

// `bun run bench:session`: the session lookup of a request (cookie, signature, query, row) relative to the bare joined
// query through the driver, on the same file. Rounds alternate, so that other load on the machine affects both alike.

const GOAL = 2.5
const ROUNDS = 41
const CALLS = 200

const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
const file = join(folder, 'bench.db')
const config = readConfig({ DATABASE_URL: `file:${file}`, LOG_LEVEL: 'silent' })
const service = await startService(config, openLog(config.logLevel))
const handle = createApp(service)

const cookie = await signUp()
const headers = new Headers({ cookie })
const token = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0] ?? ''
const lookUp = sessionReader(service.store, config)
const client = createClient({ url: `file:${file}`, concurrency: 1 })
const sql = `SELECT user.id, user.name, user.email, user.email_verified, member.organization_id, member.role
  FROM session JOIN user ON user.id = session.user_id
  LEFT JOIN member ON member.organization_id = session.active_organization_id AND member.user_id = user.id
  WHERE session.token = ? AND session.expires_at > ?`

if ((await lookUp(headers)) === null) throw new Error('the session is not found')
if ((await query()).rows.length !== 1) throw new Error('the query finds no session')

const rounds = { lookup: [] as number[], query: [] as number[] }
for (let round = 0; round < ROUNDS; round += 1) {
  rounds.query.push(await microsPerCall(query))
  rounds.lookup.push(await microsPerCall(() => lookUp(headers)))
}
const [lookup, bare] = [median(rounds.lookup), median(rounds.query)]
const ratio = lookup / bare
console.log(
  `session lookup: ${lookup.toFixed(1)} µs, bare joined query: ${bare.toFixed(1)} µs, ratio ${ratio.toFixed(2)} (goal: at most ${GOAL})`,
)
client.close()
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(ratio <= GOAL ? 0 : 1)

async function signUp(): Promise<string> {
  const body = JSON.stringify({ email: 'bench@people.example', password: 'correct horse battery', name: 'Bench' })
  const sent = { host: config.authority, 'content-type': 'application/json' }
  const request = new Request(`${config.origin}/api/auth/sign-up/email`, { method: 'POST', headers: sent, body })
  const response = await handle(request, () => '127.0.0.1')
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

function query() {
  return client.execute({ sql, args: [token, Date.now()] })
}

async function microsPerCall(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < CALLS; n += 1) await call()
  return ((performance.now() - start) * 1000) / CALLS
}
