import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { openSql } from '../in-process.ts'

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
  const { sql, close } = openSql(file)
  const written = sql('UPDATE one SET value = 1 RETURNING value')
  await Bun.sleep(30)
  other.exec('COMMIT')
  expect(await written).toEqual([{ value: 1 }])
  expect(other.prepare('SELECT value FROM one').all()).toEqual([{ value: 1 }])
  close()
})

test('SQL of a test that failed holds no lock', async () => {
  const { sql, close } = openSql(file)
  await expect(sql('INSERT INTO one VALUES (0)')).rejects.toThrow('UNIQUE')
  other.exec('BEGIN IMMEDIATE; COMMIT')
  expect(await sql('INSERT INTO one VALUES (1) RETURNING value')).toEqual([{ value: 1 }])
  expect(other.prepare('SELECT count(*) AS rows FROM one').all()).toEqual([{ rows: 2 }])
  close()
})
