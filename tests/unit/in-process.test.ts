import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { sqlOf } from '../in-process.ts'

let folder: string
let file: string
let other: Database.Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'openall-sql-'))
  file = join(folder, 'test.db')
  other = new Database(file)
  other.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (value UNIQUE); INSERT INTO one VALUES (0)')
})

afterEach(() => {
  other.close()
  rmSync(folder, { recursive: true })
})

test('SQL of a test that met a busy file is written, not only answered', async () => {
  other.exec('BEGIN IMMEDIATE')
  const written = sqlOf(file)('UPDATE one SET value = 1 RETURNING value')
  await Bun.sleep(30)
  other.exec('COMMIT')
  expect(await written).toEqual([{ value: 1 }])
  expect(other.prepare('SELECT value FROM one').all()).toEqual([{ value: 1 }])
})

test('SQL of a test that failed holds no lock', async () => {
  await expect(sqlOf(file)('INSERT INTO one VALUES (0)')).rejects.toThrow('UNIQUE')
  other.exec('BEGIN IMMEDIATE; COMMIT')
})
