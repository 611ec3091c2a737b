import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { METRICS_TOKEN } from './metrics.ts'
import { runOperator } from './operator.ts'
import { type Runtime, type Server, startServer } from './server.ts'

const DAY_MS = 86_400_000
const NAME = /^openall-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/

/** Starts a service with daily backups, of which it keeps two, and with metrics. */
export function startWithBackups(database: string, to: string, runtime: Runtime = 'bun'): Promise<Server> {
  const env = { SERVICE_BACKUP_DIR: to, SERVICE_BACKUP_KEEP: '2', SERVICE_METRICS_TOKEN: METRICS_TOKEN }
  return startServer({ runtime, database, env })
}

/** The files in a backup folder, except its lock. */
export function namesIn(folder: string): string[] {
  return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !name.startsWith('.lock')).sort()
}

/** The backups among them, oldest first. */
export function copiesIn(folder: string): string[] {
  return namesIn(folder).filter((name) => NAME.test(name))
}

/** The files of one backup. */
export function filesOf(name: string): string[] {
  return [name, `${name}.secret`, `${name}.sha256`]
}

/** Runs `verify`, which needs no database. */
export function verify(path: string): Promise<{ intact?: string[]; error?: string }> {
  return runOperator({ database: '/nowhere/at-all.db' }, ['verify', path])
}

/** Renames a backup and its files as if it were this many days old. */
export function age(at: string, name: string, days: number): string {
  const time = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 19).replaceAll(':', '-')
  const older = `openall-${time}Z.db`
  for (const [index, file] of filesOf(name).entries()) renameSync(join(at, file), join(at, filesOf(older)[index] ?? ''))
  return older
}
