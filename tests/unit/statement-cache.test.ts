import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, LibsqlError } from '@libsql/client/sqlite3'
import { FileReads } from '../../db/reads.ts'
import { command, RUNTIMES } from '../server.ts'

const SCRIPT = fileURLToPath(new URL('./statement-cache.ts', import.meta.url))

for (const runtime of RUNTIMES) {
  test(`a cached statement returns the right rows whenever those of its earlier runs are collected, on ${runtime}`, async () => {
    const gc = runtime === 'deno' ? ['--v8-flags=--expose-gc'] : []
    const child = Bun.spawn([...command(runtime), ...gc, SCRIPT], { stdout: 'pipe' })
    expect(await new Response(child.stdout).json()).toEqual({ interrupted: 0, wrong: 0 })
  }, 180_000)
}

test('reads of a file give the same values and errors as the client', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  const path = join(folder, 'store.db')
  const [reads, client] = [new FileReads(path), createClient({ url: `file:${path}` })]
  try {
    await reads.executeMultiple(`CREATE TABLE t (i integer, r real, s text, b blob, n text);
      INSERT INTO t VALUES (1, 1.5, 'ä', x'00ff', NULL), (1763000000000, -0.25, '', x'', NULL)`)
    for (const [sql, ...args] of [
      ['SELECT i, r, s, b, n, i AS again FROM t ORDER BY i'],
      ['SELECT s FROM t WHERE i = ? AND r > ?', 1, 0.5],
      ['SELECT s FROM t WHERE i = ?', true],
      ['SELECT s FROM t WHERE b = ?', new Uint8Array([0, 255])],
      ['SELECT ? IS NULL', null],
      ['SELECT s FROM t WHERE i > ?', 1763000000000],
      ['PRAGMA user_version'],
    ] as [string, ...never[]][]) {
      for (const _ of ['first', 'again']) {
        const [ours, theirs] = [await reads.execute({ sql, args }), await client.execute({ sql, args })]
        const plain = ({ rows }: typeof ours) => rows.map((row) => Array.from(row as unknown as unknown[], bytes))
        expect(plain(ours)).toEqual(plain(theirs))
        expect(plain((await reads.batch([{ sql, args }]))[0]!)).toEqual(plain(theirs))
      }
    }
    for (const sql of ['SELECT nothing FROM t', 'SELECT', "SELECT json('{')"]) {
      const [ours, theirs] = [await failure(reads.execute(sql)), await failure(client.execute(sql))]
      expect([ours.code, ours.message]).toEqual([theirs.code, theirs.message])
    }
    for (const value of [undefined, Number.NaN]) {
      await expect(reads.execute({ sql: 'SELECT ?', args: [value as never] })).rejects.toThrow()
    }
    // Another connection changes the table: the cached statement is prepared again.
    await client.execute('ALTER TABLE t ADD COLUMN later integer DEFAULT 7')
    const { rows } = await reads.execute('SELECT s FROM t WHERE i = 1')
    expect(Array.from(rows[0] as unknown as unknown[])).toEqual(['ä'])
  } finally {
    reads.close()
    client.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

function bytes(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)]
  return value instanceof Uint8Array ? [...value] : value
}

async function failure(promise: Promise<unknown>): Promise<LibsqlError> {
  const error = await promise.then(() => null).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LibsqlError)
  return error as LibsqlError
}
