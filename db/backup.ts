import { copyFileSync, existsSync, statSync, unlinkSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { Client } from '@libsql/client'
import { knownMigrations } from './client.ts'
import { JOURNAL, openFile } from './file.ts'

/** A file is not, or cannot become, a copy of a store; the message says what to do. */
export class UnfitCopy extends Error {}

/** A copy of a store. */
export interface Copy {
  file: string
  bytes: number
  bundles: number
}

/**
 * Copies a file store as of one moment, while services write to it, and checks the copy. The day’s salt and viewer
 * hashes are left out, because they could identify a viewer of today (docs/privacy.md).
 * @param to must not exist; it appears complete.
 * @throws UnfitCopy; what the driver throws.
 */
export async function copyStore(from: string, to: string): Promise<Copy> {
  if (!existsSync(from)) throw new UnfitCopy(`there is no database at ${from}`)
  refuseTaken(to)
  const draft = `${to}.${process.pid}.partial`
  try {
    await using(from, from, (client) => client.execute({ sql: 'VACUUM INTO ?', args: [draft] }))
    const bundles = await using(draft, to, async (client) => {
      await client.executeMultiple('DELETE FROM viewer_hashes; DELETE FROM salts;')
      return check(client, to)
    })
    return { file: to, ...(await finish(draft, to)), bundles }
  } finally {
    discard(draft)
  }
}

/**
 * Restores a copy where no store exists. It is checked first: complete, and made by this version or an older one, whose
 * tables the next start migrates.
 * @throws UnfitCopy.
 */
export async function restoreStore(from: string, to: string): Promise<Copy> {
  if (!existsSync(from)) throw new UnfitCopy(`there is no copy at ${from}`)
  refuseTaken(to)
  const draft = `${to}.${process.pid}.partial`
  try {
    copyFileSync(from, draft)
    const bundles = await using(draft, from, (client) => check(client, from))
    return { file: to, ...(await finish(draft, to)), bundles }
  } finally {
    discard(draft)
  }
}

function refuseTaken(to: string): void {
  const taken = [to, `${to}-wal`, `${to}-shm`].find((file) => existsSync(file))
  if (taken !== undefined) throw new UnfitCopy(`${taken} is there already: stop what uses it and move it away first`)
}

/** @param named the file’s name for error messages. */
async function using<T>(file: string, named: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await openFile(file, (attempt) => attempt()).catch((error: unknown) => {
    throw new UnfitCopy(
      `${named} is damaged, or no database: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  try {
    return await use(client)
  } finally {
    client.close()
  }
}

/** Counts the bundles, after an integrity check. */
async function check(client: Client, file: string): Promise<number> {
  const rows = async (sql: string) => {
    try {
      return (await client.execute(sql)).rows
    } catch (error) {
      throw new UnfitCopy(
        `${file} is damaged, or no store of this service: ${error instanceof Error ? error.message : ''}`,
      )
    }
  }
  const [found] = await rows('PRAGMA integrity_check(1)')
  if (found?.integrity_check !== 'ok') throw new UnfitCopy(`${file} is damaged: ${String(found?.integrity_check)}`)
  if ((await rows('PRAGMA foreign_key_check')).length > 0) throw new UnfitCopy(`${file} is damaged: rows are missing`)
  const known = new Set(knownMigrations().map(({ hash }) => hash))
  const applied = await rows(`SELECT hash FROM ${JOURNAL}`)
  if (applied.length === 0) throw new UnfitCopy(`${file} is no store of this service`)
  if (!applied.every(({ hash }) => known.has(String(hash)))) {
    throw new UnfitCopy(`${file} was written by a newer version of this service: use that one`)
  }
  const [count] = await rows('SELECT count(*) AS n FROM bundles')
  // So that the file alone is the whole copy.
  await client.execute('PRAGMA journal_mode = DELETE')
  return Number(count?.n)
}

/** Renames the file into place once it is on disk. */
async function finish(draft: string, to: string): Promise<{ bytes: number }> {
  const file = await open(draft, 'r+')
  await file.sync()
  await file.close()
  await rename(draft, to)
  return { bytes: statSync(to).size }
}

function discard(draft: string): void {
  for (const file of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`]) if (existsSync(file)) unlinkSync(file)
}
