import { copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Copy, copyStore, restoreStore, UnfitCopy } from '../../db/backup.ts'
import { keepPrivate } from '../../db/private-files.ts'
import { databaseFile } from '../config.ts'
import { readSetting } from '../settings.ts'

type Env = Record<string, string | undefined>

/**
 * Backs up the file store of DATABASE_URL and its secret while services run. Whoever has the backup can sign in as
 * anybody: protect it like the store.
 * @throws UnfitCopy.
 */
export function backUp(env: Env, to: string): Promise<Copy> {
  return copy(storeOf(env), resolve(to), copyStore)
}

/**
 * Restores a backup and its secret to DATABASE_URL, where no store may exist yet. The service must be stopped.
 * @throws UnfitCopy.
 */
export function restore(env: Env, from: string): Promise<Copy> {
  return copy(resolve(from), storeOf(env), restoreStore)
}

async function copy(from: string, to: string, how: typeof copyStore): Promise<Copy> {
  const [secret, secretTo] = [`${from}.secret`, `${to}.secret`]
  if (existsSync(secretTo)) throw new UnfitCopy(`${secretTo} is there already: move it away first`)
  const made = await how(from, to)
  if (existsSync(secret)) copyFileSync(secret, secretTo)
  // The copy has the mode of the original.
  keepPrivate(to)
  return made
}

function storeOf(env: Env): string {
  const file = databaseFile(readSetting(env, 'DATABASE_URL'))
  if (file !== null) return file
  throw new UnfitCopy('DATABASE_URL is a server: back it up there (docs/self-hosting.md says how)')
}
