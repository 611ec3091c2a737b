import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './exit.ts'

const DEFAULT_SERVER = 'http://localhost:3000'

/** What `login` keeps: a key is for its own server and is sent to no other. */
interface Kept {
  /** Where the last login was. */
  server?: string
  keys: Record<string, string>
}

/** The file that keys are kept in. */
export function settingsFile(): string {
  const base = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(base, 'openall', 'config.json')
}

/** The service that is meant, without a slash at its end. @throws UsageError. */
export function serverFor(flag: string | undefined): string {
  const server = flag || process.env.OPENALL_URL || kept().server || DEFAULT_SERVER
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new UsageError(`the server must be an http: or https: address, not "${server}"`)
  }
  return server.replace(/\/+$/, '')
}

/** The key for a service: `OPENALL_KEY`, else the one that was logged in with there. */
export function keyFor(server: string): string | undefined {
  return process.env.OPENALL_KEY?.trim() || kept().keys[server]
}

/** Keeps a key for a service, which becomes the one that is meant where none is named. */
export function keep(server: string, key: string): void {
  write({ server, keys: { ...kept().keys, [server]: key } })
}

/** Forgets the key for a service; false where there was none. */
export function forget(server: string): boolean {
  const { keys, ...rest } = kept()
  const { [server]: gone, ...others } = keys
  if (gone === undefined) return false
  write({ ...rest, keys: others })
  return true
}

function kept(): Kept {
  const file = settingsFile()
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: {} }
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const { server, keys } = JSON.parse(text) as Partial<Kept>
    return { ...(server === undefined ? {} : { server }), keys: keys ?? {} }
  } catch {
    throw new UsageError(`${file} is not JSON: mend it, or delete it and run openall login`)
  }
}

/** Written beside and then moved, so that it is never half there and never readable for others, whatever it was. */
function write(settings: Kept): void {
  const file = settingsFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  try {
    writeFileSync(beside, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(beside, 0o600)
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
