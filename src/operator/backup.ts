import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Copy, copyStore, restoreStore, SECRET, verifyCopy } from '../../db/backup.ts'
import { UnusableCopy } from '../../db/unusable-copy.ts'
import { databaseFile } from '../config/config.ts'
import { readSetting } from '../config/settings.ts'

type Env = Record<string, string | undefined>

/**
 * Backs up the file store of DATABASE_URL and its secret while services run. Anyone with the backup can sign in as
 * anyone: protect it like the store.
 * @throws UnusableCopy.
 */
export function backUp(env: Env, to: string): Promise<Copy> {
  return copyStore(storeOf(env), resolve(to))
}

/**
 * Restores a backup and its secret to DATABASE_URL, where no store may exist yet. The service must be stopped.
 * @throws UnusableCopy.
 */
export async function restore(env: Env, from: string): Promise<Copy> {
  const secret = resolve(from) + SECRET
  // Without it the service would make another: nobody would stay signed in, and nothing encrypted could be read.
  if (existsSync(from) && !existsSync(secret) && readSetting(env, 'SERVICE_SECRET') === undefined) {
    throw new UnusableCopy(
      `${secret} is missing: put it next to the copy, or set SERVICE_SECRET (if it is lost, to a new one: everyone is signed out)`,
    )
  }
  return restoreStore(resolve(from), storeOf(env))
}

/**
 * Compares a backup, or every backup of a folder, with its checksums.
 * @returns those that have not changed.
 * @throws UnusableCopy that names each file that has.
 */
export async function verify(path: string): Promise<{ intact: string[] }> {
  const at = resolve(path)
  const isFolder = statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false
  const names = isFolder ? readdirSync(at).filter((name) => name.endsWith('.db')) : []
  if (isFolder && names.length === 0) throw new UnusableCopy(`there is no backup in ${at}`)
  const files = isFolder ? names.sort().map((name) => join(at, name)) : [at]
  const faults: string[] = []
  for (const file of files) {
    await verifyCopy(file).catch((error: unknown) => {
      if (!(error instanceof UnusableCopy)) throw error
      faults.push(error.message)
    })
  }
  if (faults.length > 0) throw new UnusableCopy(faults.join('\n'))
  return { intact: files }
}

function storeOf(env: Env): string {
  const file = databaseFile(readSetting(env, 'DATABASE_URL'))
  if (file !== null) return file
  throw new UnusableCopy('DATABASE_URL is a server: back it up there (docs/self-hosting.md says how)')
}
