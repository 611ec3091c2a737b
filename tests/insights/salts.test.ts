import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { Counter } from '../../src/launcher/batches.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { becomes } from '../eventually.ts'
import { type Fixture, log, newFixture, rows, VIEWER } from './support.ts'

// The bytes in the file are not visible from outside.

let fixture: Fixture
let recorder: Recorder

beforeEach(async () => {
  fixture = await newFixture('2026-11-20T12:00:00Z')
  recorder = await Recorder.start(fixture.store, log, fixture.now)
})
afterEach(async () => {
  await recorder.stop()
  await fixture.close()
})

async function saltOf(day: string): Promise<string> {
  const [[salt] = []] = await rows(fixture.store, `SELECT hex(salt) FROM salts WHERE day = '${day}'`)
  return String(salt)
}

/**
 * Where in the folder bytes occur, raw or as hex or base64 text: pairs of file and bytes. Searches in another process,
 * because closing a file that this one has open would release SQLite's locks on it.
 */
function find(...hex: string[]): [file: string, hex: string][] {
  const script = `
    const [folder] = process.argv.slice(-1)
    const { readdirSync, readFileSync } = require('node:fs')
    const hexes = readFileSync(0, 'utf8').split(' ')
    const formsOf = (hex) => {
      const bytes = Buffer.from(hex, 'hex')
      return [bytes, hex.toLowerCase(), hex.toUpperCase(), bytes.toString('base64'), bytes.toString('base64url')]
    }
    const found = readdirSync(folder).sort().flatMap((file) => {
      const content = readFileSync(folder + '/' + file)
      return hexes.filter((hex) => formsOf(hex).some((form) => content.includes(form))).map((hex) => [file, hex])
    })
    console.log(JSON.stringify(found))`
  const child = Bun.spawnSync([process.execPath, '-e', script, '--', fixture.folder], {
    stdin: Buffer.from(hex.join(' ')),
  })
  return JSON.parse(child.stdout.toString())
}

const filesWith = (hex: string) => find(hex).map(([file]) => file)

/** Records a busy day, and counts of the next. */
async function count(day: string): Promise<void> {
  for (let hour = 0; hour < 24; hour += 1) {
    fixture.set(`${day}T${String(hour).padStart(2, '0')}:59:00Z`)
    for (let viewer = 0; viewer < 200; viewer += 1) recorder.view(new Counter(1, ''), `${hour}.${viewer}`, VIEWER)
    await recorder.flush()
  }
}

test('after a day has ended its salt is in no file: not in the database, its log or a dump', async () => {
  await count('2026-11-20')
  const salt = await saltOf('2026-11-20')
  expect(salt).toHaveLength(64)
  expect(filesWith(salt)).not.toEqual([])
  fixture.set('2026-11-21T00:00:20Z')
  await recorder.flush()
  fixture.set('2026-11-21T00:00:40Z')
  await recorder.flush()
  expect(filesWith(salt)).toEqual([])
  const dumping = createClient({ url: pathToFileURL(join(fixture.folder, 'test.db')).href })
  await dumping.execute(`VACUUM INTO '${join(fixture.folder, 'dump.db')}'`)
  dumping.close()
  await count('2026-11-21')
  expect(filesWith(salt)).toEqual([])
  // The search works: it finds today's.
  expect(filesWith(await saltOf('2026-11-21'))).not.toEqual([])
})

test('a log that a reader keeps in use is emptied after the reader ends', async () => {
  await count('2026-11-20')
  const salt = await saltOf('2026-11-20')
  const reader = createClient({ url: pathToFileURL(join(fixture.folder, 'test.db')).href })
  const reading = await reader.transaction('read')
  await reading.execute('SELECT count(*) FROM salts')
  fixture.set('2026-11-21T00:00:20Z')
  await recorder.flush()
  fixture.set('2026-11-21T00:00:40Z')
  await recorder.flush()
  expect(filesWith(salt)).not.toEqual([])
  reading.close()
  reader.close()
  await recorder.flush()
  expect(filesWith(salt)).toEqual([])
})

test('several processes that start a day at once share one salt', async () => {
  const stores = await Promise.all([fixture.open(), fixture.open(), fixture.open()])
  fixture.set('2026-11-25T00:00:00Z')
  const recorders = await Promise.all(stores.map((store) => Recorder.start(store, log, fixture.now)))
  for (const one of [...recorders, recorder]) one.view(new Counter(1, ''), '192.0.2.1', VIEWER)
  await Promise.all([...recorders.map((one) => one.stop()), recorder.flush()])
  expect(await rows(fixture.store, "SELECT viewers FROM daily_viewers WHERE day = '2026-11-25'")).toEqual([[1]])
  await Promise.all(stores.map((store) => store.close()))
})

test('yesterday’s hashes are overwritten, except single ones that SQLite had moved, and today’s are kept', async () => {
  await count('2026-11-20')
  const hashes = async () => (await rows(fixture.store, 'SELECT hex(hash) FROM viewer_hashes')).flat().map(String)
  const yesterday = await hashes()
  expect(yesterday).toHaveLength(4_800)
  // Some pages hold rows of both days.
  fixture.set('2026-11-21T00:00:05Z')
  for (let viewer = 0; viewer < 500; viewer += 1) recorder.view(new Counter(2, ''), `1.${viewer}`, VIEWER)
  await recorder.flush()
  fixture.set('2026-11-21T00:00:20Z')
  await becomes(async () => {
    await recorder.flush()
    return (await hashes()).length
  }, 500)
  await recorder.flush()
  expect(find(...yesterday).length).toBeLessThan(10)
  expect(find(...(await hashes())).length).toBeGreaterThanOrEqual(500)
})
