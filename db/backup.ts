import { createHash } from 'node:crypto'
import { copyFileSync, createReadStream, existsSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Client } from '@libsql/client'
import { keepPrivate, makeFolderOf } from '../src/config/files.ts'
import { JOURNAL, openFile } from './file.ts'
import { contentsOf, secretHashOf } from './instance.ts'
import { otherVersion } from './migrate.ts'
import { UnusableCopy } from './unusable-copy.ts'

/** Hashing this much blocks the event loop for about a millisecond. */
const CHUNK_BYTES = 2 ** 20

/** SHA-256 of a file, in hexadecimal. */
async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** A line in the format of `sha256sum`. */
function checksumLine(checksum: string, name: string): string {
  return `${checksum}  ${name}\n`
}

/** Parses lines in this format into checksums by file name; null if the text has another format. */
function readChecksums(text: string): Map<string, string> | null {
  const lines = text.split('\n').slice(0, -1)
  const found = lines.map((line) => /^([0-9a-f]{64}) {2}(.+)$/.exec(line))
  if (lines.length === 0 || !text.endsWith('\n') || found.includes(null)) return null
  return new Map(found.map((line) => [line?.[2] ?? '', line?.[1] ?? '']))
}

/** A copy of a store. */
export interface Copy {
  file: string
  bytes: number
  bundles: number
}

/** Suffix of the secret beside a store or a copy. */
export const SECRET = '.secret'
/** Suffix of the checksums beside a copy, in the format of `sha256sum --check`. */
export const CHECKSUMS = '.sha256'

/**
 * Takes a consistent copy of a file store and its secret, even while services write to it. Checks the copy and writes its
 * checksums beside it. Leaves out the day’s salt and viewer hashes, which could identify today’s viewers (docs/privacy.md).
 * @param to must not exist; created last, when the copy is complete.
 * @throws UnusableCopy; or the driver’s error.
 */
export async function copyStore(from: string, to: string): Promise<Copy> {
  if (!existsSync(from)) throw new UnusableCopy(`there is no database at ${from}`)
  refuseTaken(to)
  const draft = `${to}.${process.pid}.partial`
  try {
    await withDatabase(from, from, (client) => client.execute({ sql: 'VACUUM INTO ?', args: [draft] }))
    const bundles = await withDatabase(draft, to, async (client) => {
      await client.executeMultiple('DELETE FROM viewer_hashes; DELETE FROM salts;')
      return check(client, to)
    })
    let checksums = checksumLine(await checksumOf(draft), basename(to))
    if (copySecret(from, to)) checksums += checksumLine(await checksumOf(to + SECRET), basename(to + SECRET))
    writeFileSync(to + CHECKSUMS, checksums, { flush: true })
    return { file: to, ...(await finish(draft, to)), bundles }
  } finally {
    discard(draft, to)
  }
}

/**
 * Restores a copy and its secret to a path without a store. First checks that the copy matches its checksums (if it has any),
 * that it is intact, and that no newer version made it. The next start migrates the tables of an older version.
 * @param approve called once the copy is known to be good; if it throws, nothing is restored.
 * @throws UnusableCopy.
 */
export async function restoreStore(from: string, to: string, approve: () => void = () => {}): Promise<Copy> {
  if (!existsSync(from)) throw new UnusableCopy(`there is no copy at ${from}`)
  // An identical secret may already be there.
  const isSecretThere = isSame(from + SECRET, to + SECRET)
  refuseTaken(to, isSecretThere ? SECRET : undefined)
  makeFolderOf(to)
  const draft = `${to}.${process.pid}.partial`
  try {
    copyFileSync(from, draft)
    // copyFileSync also copied the mode.
    keepPrivate(draft)
    if (existsSync(from + CHECKSUMS)) await verify(from, draft)
    const bundles = await withDatabase(draft, from, (client) => check(client, from))
    approve()
    if (!isSecretThere) copySecret(from, to)
    return { file: to, ...(await finish(draft, to)), bundles }
  } finally {
    discard(draft, to, isSecretThere)
  }
}

/**
 * Makes a database file from the SQL dump of a libSQL server, with this version's own SQLite: older ones lack functions that the
 * tables use.
 * @param to must not exist.
 * @throws UnusableCopy.
 */
export async function databaseOfDump(dump: string, to: string): Promise<void> {
  if (!existsSync(dump)) throw new UnusableCopy(`there is no dump at ${dump}`)
  refuseTaken(to)
  const sql = readFileSync(dump, 'utf8').trimEnd()
  if (!sql.startsWith('PRAGMA') || !sql.endsWith('COMMIT;'))
    throw new UnusableCopy(`${dump} is no dump of a libSQL server, or is cut off`)
  makeFolderOf(to)
  keepPrivate(to)
  await withDatabase(to, dump, async (client) => {
    // The dump writes the definitions of virtual tables as rows, so the schema must be read again.
    await client.executeMultiple(`${sql}\nPRAGMA writable_schema = RESET`).catch((error: unknown) => {
      throw new UnusableCopy(`${dump} is damaged: ${error instanceof Error ? error.message : String(error)}`)
    })
    await client.execute('PRAGMA journal_mode = DELETE')
  })
}

function isSame(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other))
}

/** Whether a copy was last used with this secret; true if it was never used. */
export function isSecretOf(copy: string, secret: string): boolean {
  const { id, secretHash } = contentsOf(copy)
  return id === null || secretHash === null || secretHash === secretHashOf(id, secret)
}

/**
 * Compares a copy and its secret with the checksums beside it.
 * @throws UnusableCopy that names the file that has changed.
 */
export async function verifyCopy(file: string): Promise<void> {
  if (!existsSync(file)) throw new UnusableCopy(`there is no copy at ${file}`)
  if (!existsSync(file + CHECKSUMS)) throw new UnusableCopy(`${file}${CHECKSUMS} is missing: nothing can be compared`)
  await verify(file, file)
}

/** @param copied the file from which the copy is read. */
async function verify(file: string, copied: string): Promise<void> {
  const checksums = readChecksums(readFileSync(file + CHECKSUMS, 'utf8'))
  if (checksums === null) throw new UnusableCopy(`${file}${CHECKSUMS} is damaged: it holds no checksums`)
  // Matched by the end of the name, because a copy may have been renamed with its secret and checksums.
  for (const [name, checksum] of checksums) {
    const [changed, bytes] = name.endsWith(SECRET) ? [file + SECRET, file + SECRET] : [file, copied]
    // A restore can do without the secret's file: SERVICE_SECRET may replace it.
    if (!existsSync(bytes) && copied !== file) continue
    if (!existsSync(bytes)) throw new UnusableCopy(`${changed} is missing`)
    if ((await checksumOf(bytes)) !== checksum)
      throw new UnusableCopy(`${changed} is damaged: it has changed since ${file}${CHECKSUMS} was written`)
  }
}

/**
 * Checks a store that may be in use; changes nothing.
 * @throws UnusableCopy that says what is wrong.
 */
export async function checkIntegrity(file: string): Promise<void> {
  await withDatabase(file, file, (client) => requireIntact(client, file))
}

/** @param kept the suffix of a file that may exist. */
function refuseTaken(to: string, kept?: string): void {
  const ends = ['', '-wal', '-shm', SECRET, CHECKSUMS].filter((end) => end !== kept)
  const taken = ends.map((end) => to + end).find((file) => existsSync(file))
  if (taken !== undefined)
    throw new UnusableCopy(`${taken} already exists: stop whatever uses it and move it away first`)
}

/** Copies the secret's file. @returns false if there is none: SERVICE_SECRET may replace it. */
function copySecret(from: string, to: string): boolean {
  if (!existsSync(from + SECRET)) return false
  copyFileSync(from + SECRET, to + SECRET)
  keepPrivate(to)
  return true
}

/** @param label the file’s name in error messages. */
async function withDatabase<T>(file: string, label: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await openFile(file, (attempt) => attempt()).catch((error: unknown) => {
    throw new UnusableCopy(
      `${label} is damaged or not a database: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  try {
    return await use(client)
  } finally {
    client.close()
  }
}

/** Counts the bundles of a copy, after an integrity check. */
async function check(client: Client, file: string): Promise<number> {
  const bundles = await requireIntact(client, file)
  // The copy must be a single file.
  await client.execute('PRAGMA journal_mode = DELETE')
  return bundles
}

/** Checks that a store is undamaged. @returns the number of its bundles. */
async function requireIntact(client: Client, file: string): Promise<number> {
  const rows = async (sql: string) => {
    try {
      return (await client.execute(sql)).rows
    } catch (error) {
      throw new UnusableCopy(
        `${file} is damaged or not a store of this service: ${error instanceof Error ? error.message : ''}`,
      )
    }
  }
  const [found] = await rows('PRAGMA integrity_check(1)')
  if (found?.integrity_check !== 'ok') throw new UnusableCopy(`${file} is damaged: ${String(found?.integrity_check)}`)
  if ((await rows('PRAGMA foreign_key_check')).length > 0)
    throw new UnusableCopy(`${file} is damaged: referenced rows are missing`)
  const applied = await rows(`SELECT hash FROM ${JOURNAL}`)
  if (applied.length === 0) throw new UnusableCopy(`${file} is not a store of this service`)
  const other = otherVersion(applied.map(({ hash }) => hash))
  if (other !== null) throw new UnusableCopy(`${file} cannot be used: ${other}`)
  const [count] = await rows('SELECT count(*) AS n FROM bundles')
  return Number(count?.n)
}

/** Flushes the file to disk, then renames it into place. */
async function finish(draft: string, to: string): Promise<{ bytes: number }> {
  const file = await open(draft, 'r+')
  await file.sync()
  await file.close()
  await rename(draft, to)
  return { bytes: statSync(to).size }
}

/** Removes the remains of an unfinished copy, but not a secret that existed before. */
function discard(draft: string, to: string, isSecretKept = false): void {
  const beside = existsSync(to) ? [] : [...(isSecretKept ? [] : [to + SECRET]), to + CHECKSUMS]
  for (const file of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`, ...beside])
    if (existsSync(file)) unlinkSync(file)
}
