import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { Counter } from '../../src/launcher/counter.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { becomes } from '../eventually.ts'
import { AGENT, log, newScene, rows, type Scene } from './support.ts'

// What lies in the file is seen by nobody at the front door.

let scene: Scene
let recorder: Recorder

beforeEach(async () => {
  scene = await newScene('2026-11-20T12:00:00Z')
  recorder = await Recorder.start(scene.store, log, scene.now)
})
afterEach(async () => {
  await recorder.stop()
  await scene.close()
})

async function saltOf(day: string): Promise<string> {
  const [[salt] = []] = await rows(scene.store, `SELECT hex(salt) FROM salts WHERE day = '${day}'`)
  return String(salt)
}

/**
 * Where in the folder bytes are found, as they are or as hex or base64 text: pairs of file and bytes. A process of its own
 * looks: closing a file that this one has open would undo SQLite's locks on it.
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
  const child = Bun.spawnSync([process.execPath, '-e', script, '--', scene.folder], {
    stdin: Buffer.from(hex.join(' ')),
  })
  return JSON.parse(child.stdout.toString())
}

const filesWith = (hex: string) => find(hex).map(([file]) => file)

/** A busy day, and the counts of the next. */
async function count(day: string): Promise<void> {
  for (let hour = 0; hour < 24; hour += 1) {
    scene.set(`${day}T${String(hour).padStart(2, '0')}:59:00Z`)
    for (let viewer = 0; viewer < 200; viewer += 1) recorder.view(new Counter(1, ''), `${hour}.${viewer}`, AGENT)
    await recorder.flush()
  }
}

test('yesterday’s salt is in no file once the day has been ended: not in the store, its log or a dump', async () => {
  await count('2026-11-20')
  const salt = await saltOf('2026-11-20')
  expect(salt).toHaveLength(64)
  expect(filesWith(salt)).not.toEqual([])
  scene.set('2026-11-21T00:00:20Z')
  await recorder.flush()
  scene.set('2026-11-21T00:00:40Z')
  await recorder.flush()
  expect(filesWith(salt)).toEqual([])
  const dumping = createClient({ url: pathToFileURL(join(scene.folder, 'test.db')).href })
  await dumping.execute(`VACUUM INTO '${join(scene.folder, 'dump.db')}'`)
  dumping.close()
  await count('2026-11-21')
  expect(filesWith(salt)).toEqual([])
  // The search would have found it: today's is there.
  expect(filesWith(await saltOf('2026-11-21'))).not.toEqual([])
})

test('where a reader keeps the log from being emptied, it is emptied after the reader', async () => {
  await count('2026-11-20')
  const salt = await saltOf('2026-11-20')
  const reader = createClient({ url: pathToFileURL(join(scene.folder, 'test.db')).href })
  const reading = await reader.transaction('read')
  await reading.execute('SELECT count(*) FROM salts')
  scene.set('2026-11-21T00:00:20Z')
  await recorder.flush()
  scene.set('2026-11-21T00:00:40Z')
  await recorder.flush()
  expect(filesWith(salt)).not.toEqual([])
  reading.close()
  reader.close()
  await recorder.flush()
  expect(filesWith(salt)).toEqual([])
})

test('of several processes that begin a day at once, all have the same salt', async () => {
  const stores = await Promise.all([scene.open(), scene.open(), scene.open()])
  scene.set('2026-11-25T00:00:00Z')
  const recorders = await Promise.all(stores.map((store) => Recorder.start(store, log, scene.now)))
  for (const one of [...recorders, recorder]) one.view(new Counter(1, ''), '192.0.2.1', AGENT)
  await Promise.all([...recorders.map((one) => one.stop()), recorder.flush()])
  expect(await rows(scene.store, "SELECT viewers FROM daily_viewers WHERE day = '2026-11-25'")).toEqual([[1]])
  await Promise.all(stores.map((store) => store.close()))
})

test('yesterday’s hashes are overwritten, but for single ones that SQLite had moved, and today’s are kept', async () => {
  await count('2026-11-20')
  const hashes = async () => (await rows(scene.store, 'SELECT hex(hash) FROM viewer_hashes')).flat().map(String)
  const yesterday = await hashes()
  expect(yesterday).toHaveLength(4_800)
  // Both days lie side by side on some pages.
  scene.set('2026-11-21T00:00:05Z')
  for (let viewer = 0; viewer < 500; viewer += 1) recorder.view(new Counter(2, ''), `1.${viewer}`, AGENT)
  await recorder.flush()
  scene.set('2026-11-21T00:00:20Z')
  await becomes(async () => {
    await recorder.flush()
    return (await hashes()).length
  }, 500)
  await recorder.flush()
  expect(find(...yesterday).length).toBeLessThan(10)
  expect(find(...(await hashes())).length).toBeGreaterThanOrEqual(500)
})
