import { afterEach, beforeEach, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { Counter } from '../../src/launcher/batches.ts'
import { Recorder } from '../../src/launcher/recorder.ts'
import { awayWhile, counted, type Fixture, log, newFixture, rows, traces, VIEWER, viewers } from './support.ts'

// The service's clock cannot be set from outside, but the recorder takes one as an argument.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
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

const counter = new Counter(1, '')
const look = (viewer: string, by = recorder) => by.view(counter, viewer, VIEWER)

test('a view in the last millisecond counts for the day that ends, one in the next for the day that begins', async () => {
  fixture.set('2026-11-20T23:59:59.999Z')
  look('192.0.2.1')
  look('192.0.2.2')
  fixture.set('2026-11-21T00:00:00.000Z')
  look('192.0.2.1')
  recorder.openAll(counter, VIEWER)
  await recorder.flush()
  expect(await counted(fixture.store)).toEqual([
    [1, '2026-11-20', 2, 0],
    [1, '2026-11-21', 1, 1],
  ])
  expect(await viewers(fixture.store)).toEqual([
    [1, '2026-11-20', 2],
    [1, '2026-11-21', 1],
  ])
})

test('soon after midnight only the number of viewers remains of a day, not who they were', async () => {
  look('192.0.2.1')
  await recorder.flush()
  fixture.set('2026-11-21T00:00:05Z')
  look('192.0.2.1')
  await recorder.flush()
  fixture.set('2026-11-21T00:00:20Z')
  await recorder.flush()
  expect(await traces(fixture.store)).toEqual({ hashes: ['2026-11-21'], salts: ['2026-11-21'] })
  expect(await viewers(fixture.store)).toEqual([
    [1, '2026-11-20', 1],
    [1, '2026-11-21', 1],
  ])
})

test('a viewer’s hash differs from day to day', async () => {
  look('192.0.2.1')
  fixture.set('2026-11-21T00:00:00Z')
  look('192.0.2.1')
  await recorder.flush()
  const hashes = (await rows(fixture.store, 'SELECT hex(hash) FROM viewer_hashes')).flat()
  expect(new Set(hashes).size).toBe(2)
})

test('the next day’s salt exists before midnight, so that a database down over midnight costs no viewer', async () => {
  let isAway = false
  const careful = await Recorder.start(
    awayWhile(fixture.store, () => isAway),
    log,
    fixture.now,
  )
  fixture.set('2026-11-20T23:56:00Z')
  await careful.flush()
  isAway = true
  fixture.set('2026-11-20T23:59:59Z')
  look('192.0.2.1', careful)
  fixture.set('2026-11-21T00:00:01Z')
  for (const viewer of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) look(viewer, careful)
  await careful.flush()
  isAway = false
  await careful.stop()
  look('192.0.2.2')
  await recorder.flush()
  expect(await viewers(fixture.store)).toEqual([
    [1, '2026-11-20', 1],
    [1, '2026-11-21', 2],
  ])
})

test('viewers before the day’s salt can be read are counted once it is, each once', async () => {
  let isAway = false
  const late = await Recorder.start(
    awayWhile(fixture.store, () => isAway),
    log,
    fixture.now,
  )
  isAway = true
  fixture.set('2026-11-21T08:00:00Z')
  look('192.0.2.1', late)
  await late.flush()
  look('192.0.2.1', late)
  look('192.0.2.2', late)
  isAway = false
  await late.flush()
  look('192.0.2.2', late)
  await late.stop()
  look('192.0.2.1')
  await recorder.flush()
  expect(await counted(fixture.store)).toEqual([[1, '2026-11-21', 5, 0]])
  expect(await viewers(fixture.store)).toEqual([[1, '2026-11-21', 2]])
})

test('counts that another process writes seconds after midnight still use the old day’s hashes', async () => {
  const late = await Recorder.start(fixture.store, log, fixture.now)
  fixture.set('2026-11-20T23:59:59Z')
  look('192.0.2.1')
  look('192.0.2.1', late)
  look('192.0.2.2', late)
  fixture.set('2026-11-21T00:00:02Z')
  await recorder.flush()
  await late.flush()
  expect(await viewers(fixture.store)).toEqual([[1, '2026-11-20', 2]])
  fixture.set('2026-11-21T00:00:15Z')
  await Promise.all([recorder.flush(), late.stop()])
  expect(await viewers(fixture.store)).toEqual([[1, '2026-11-20', 2]])
  expect((await traces(fixture.store)).hashes).toEqual([])
})

test('a day that ended while no process ran is closed at the next start', async () => {
  look('192.0.2.1')
  await recorder.stop()
  fixture.set('2026-11-23T09:00:00Z')
  recorder = await Recorder.start(fixture.store, log, fixture.now)
  await recorder.flush()
  expect(await traces(fixture.store)).toEqual({ hashes: [], salts: ['2026-11-23'] })
  expect(await viewers(fixture.store)).toEqual([[1, '2026-11-20', 1]])
})

test('a clock that wavers around midnight counts each view on the day it shows, and no viewer twice', async () => {
  for (const time of ['20T23:59:59.9', '21T00:00:00.1', '20T23:59:59.8', '21T00:00:00.2', '20T23:59:59.9']) {
    fixture.set(`2026-11-${time}Z`)
    look('192.0.2.1')
    await recorder.flush()
  }
  expect(await counted(fixture.store)).toEqual([
    [1, '2026-11-20', 3, 0],
    [1, '2026-11-21', 2, 0],
  ])
  expect(await viewers(fixture.store)).toEqual([
    [1, '2026-11-20', 1],
    [1, '2026-11-21', 1],
  ])
})

for (const [jump, there] of [
  ['a day forth', '2026-11-21T12:00:00Z'],
  ['a day back', '2026-11-19T12:00:00Z'],
  ['to 1970', '1970-01-01T00:00:01Z'],
  ['years forth', '2040-01-01T00:00:00Z'],
] as const) {
  test(`a clock that jumps ${jump} and back puts only counts made meanwhile on the wrong day`, async () => {
    look('192.0.2.1')
    await recorder.flush()
    for (const seconds of [0, 20]) {
      fixture.set(new Date(Date.parse(there) + seconds * 1000).toISOString())
      look('192.0.2.9')
      await recorder.flush()
    }
    for (const time of ['2026-11-20T12:01:00Z', '2026-11-20T12:02:00Z']) {
      fixture.set(time)
      look('192.0.2.1')
      await recorder.flush()
    }
    const day = there.slice(0, 10)
    const expected = [
      [1, '2026-11-20', 3, 0],
      [1, day, 2, 0],
    ].sort((a, b) => String(a[1]).localeCompare(String(b[1])))
    expect(await counted(fixture.store)).toEqual(expected)
    const found = Object.fromEntries((await viewers(fixture.store)).map(([, at, count]) => [at, count]))
    expect(found[day]).toBe(1)
    // A jump forth ends the day and deletes its salt, so a viewer may count again. A jump back loses nothing.
    expect(found['2026-11-20']).toBe(day > '2026-11-20' ? 2 : 1)
  })
}

test('days are in UTC, whatever the host’s time zone and its changes of time', async () => {
  const script = `
    import { newFixture, log, VIEWER, counted } from './tests/insights/support.ts'
    import { Counter } from './src/launcher/batches.ts'
    import { Recorder } from './src/launcher/recorder.ts'
    const times = ['2026-10-24T23:59:59Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T23:30:00Z',
      '2026-10-26T00:00:00Z', '2027-03-13T23:59:59Z', '2027-03-14T10:00:00Z', '2027-03-15T00:00:00Z']
    const fixture = await newFixture(times[0])
    const recorder = await Recorder.start(fixture.store, log, fixture.now)
    for (const time of times) {
      fixture.set(time)
      recorder.view(new Counter(1, ''), '192.0.2.1', VIEWER)
      await recorder.flush()
    }
    await recorder.stop()
    console.log(JSON.stringify(await counted(fixture.store)))
    await fixture.close()`
  // Summer time ends in Berlin on 25 October and begins in Los Angeles on 14 March; Kiritimati is 14 hours ahead.
  for (const zone of ['Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
    const child = Bun.spawnSync([process.execPath, '-e', script], { cwd: ROOT, env: { ...process.env, TZ: zone } })
    expect([zone, JSON.parse(child.stdout.toString())]).toEqual([
      zone,
      [
        [1, '2026-10-24', 1, 0],
        [1, '2026-10-25', 3, 0],
        [1, '2026-10-26', 1, 0],
        [1, '2027-03-13', 1, 0],
        [1, '2027-03-14', 1, 0],
        [1, '2027-03-15', 1, 0],
      ],
    ])
  }
})
