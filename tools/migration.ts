import { readdirSync, rmSync, writeFileSync } from 'node:fs'

// `bun run migration [--name=… | --custom --name=…]`: the next migration. Drizzle compares the tables with the newest snapshot
// alone, so the one before it goes.

const MIGRATIONS = new URL('../db/migrations/', import.meta.url)
const META = new URL('meta/', MIGRATIONS)

const options = process.argv.slice(2)
const before = readdirSync(MIGRATIONS)
const { exitCode } = Bun.spawnSync(['bunx', 'drizzle-kit', 'generate', ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
const snapshots = readdirSync(META).filter((name) => name.endsWith('_snapshot.json'))
for (const name of snapshots.sort().slice(0, -1)) rmSync(new URL(name, META))
// Drizzle writes a comment without an end of line, which would swallow the first line that is appended.
const made = readdirSync(MIGRATIONS).filter((name) => !before.includes(name))
if (options.includes('--custom')) for (const name of made) writeFileSync(new URL(name, MIGRATIONS), '')
process.exit(exitCode)
