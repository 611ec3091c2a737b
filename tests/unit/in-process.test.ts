import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { sqlOf } from '../in-process.ts'

test('SQL of a test that met a busy file is written, not only answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-sql-'))
  const file = join(folder, 'test.db')
  const other = new Database(file)
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (value); INSERT INTO one VALUES (0); BEGIN IMMEDIATE')
  const written = sqlOf(file)('UPDATE one SET value = 1 RETURNING value')
  await Bun.sleep(30)
  other.exec('COMMIT')
  expect(await written).toEqual([{ value: 1 }])
  expect(other.prepare('SELECT value FROM one').all()).toEqual([{ value: 1 }])
  other.close()
  rmSync(folder, { recursive: true })
})
