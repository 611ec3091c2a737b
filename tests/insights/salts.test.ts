import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { Counter } from '../../src/launcher/counter.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
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
 * In which files of the folder the bytes are found, as they are or as hex or base64 text. A process of its own looks:
 * closing a file that this one has open would undo SQLite's locks on it.
 */
function filesWith(hex: string): string[] {
  const script = `
    const [folder, hex] = process.argv.slice(-2)
    const { readdirSync, readFileSync } = require('node:fs')
    const bytes = Buffer.from(hex, 'hex')
    const forms = [bytes, hex.toLowerCase(), hex.toUpperCase(), bytes.toString('base64'), bytes.toString('base64url')]
    const found = readdirSync(folder).filter((file) => forms.some((form) => readFileSync(folder + '/' + file).includes(form)))
    console.log(JSON.stringify(found.sort()))`
  const child = Bun.spawnSync([process.execPath, '-e', script, '--', scene.folder, hex])
  return JSON.parse(child.stdout.toString())
}

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
