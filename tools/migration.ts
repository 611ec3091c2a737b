import { readdirSync, rmSync } from 'node:fs'

// `bun run migration [--name=… | --custom --name=…]`: the next migration. Drizzle compares the tables with the newest snapshot
// alone, so the one before it goes.

const META = new URL('../db/migrations/meta/', import.meta.url)

const { exitCode } = Bun.spawnSync(['bunx', 'drizzle-kit', 'generate', ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
const snapshots = readdirSync(META).filter((name) => name.endsWith('_snapshot.json'))
for (const name of snapshots.sort().slice(0, -1)) rmSync(new URL(name, META))
process.exit(exitCode)
