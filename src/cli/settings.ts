import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './exit.ts'
import type { SignIn } from './sign-in.ts'

const DEFAULT_SERVER = 'http://localhost:3000'

/** The settings file. It has one credential per server, which is only ever sent to that server. */
interface Settings {
  /** The server of the last login. */
  server?: string
  keys: Record<string, string>
  signIns: Record<string, SignIn>
}

/** The path of the settings file. */
export function settingsFile(): string {
  const base = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return join(base, 'openall', 'config.json')
}

/** The server to use, without a trailing slash. @throws UsageError. */
export function serverFor(flag: string | undefined): string {
  const server = chosenServer(flag) ?? DEFAULT_SERVER
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new UsageError(`the server must be an http: or https: address, not "${server}"`)
  }
  return server.replace(/\/+$/, '')
}

/** The server that the flag, the environment or a login names, if any. */
export function chosenServer(flag: string | undefined): string | undefined {
  return flag || process.env.OPENALL_URL || read().server
}

export function savedKey(server: string): string | undefined {
  return read().keys[server]
}

/** The last sign-in with a browser at a server. */
export function signInAt(server: string): SignIn | undefined {
  return read().signIns[server]
}

/** Saves a key for a server, replacing its credential, and makes it the default server. */
export function saveKey(server: string, key: string): void {
  const { keys, signIns } = read()
  write({ server, keys: { ...keys, [server]: key }, signIns: drop(signIns, server) })
}

/** Saves a sign-in for a server, replacing its credential, and makes it the default server. */
export function saveSignIn(server: string, signIn: SignIn): void {
  const { keys, signIns } = read()
  write({ server, keys: drop(keys, server), signIns: { ...signIns, [server]: signIn } })
}

/** Deletes the saved key of a server; returns false if there was none. */
export function deleteKey(server: string): boolean {
  const settings = read()
  if (settings.keys[server] === undefined) return false
  write({ ...settings, keys: drop(settings.keys, server) })
  return true
}

export function deleteSignIn(server: string): void {
  const settings = read()
  write({ ...settings, signIns: drop(settings.signIns, server) })
}

function drop<T>(all: Record<string, T>, server: string): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== server))
}

function read(): Settings {
  const file = settingsFile()
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: {}, signIns: {} }
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const { server, keys = {}, signIns = {} } = JSON.parse(text) as Partial<Settings>
    return { ...(server === undefined ? {} : { server }), keys, signIns }
  } catch {
    throw new UsageError(`${file} is not valid JSON: fix it, or delete it and run openall login`)
  }
}

/** Writes a new file and renames it, so that it is never half written, and never readable by others. */
function write(settings: Settings): void {
  const file = settingsFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
