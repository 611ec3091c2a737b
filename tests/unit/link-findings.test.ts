import { describe, expect, test } from 'bun:test'
import { after, type CheckResult, type Finding } from '../../src/checks/findings.ts'

const DAY = 86_400_000
const URL = 'https://example.com/plan'
const NEW: Finding = {
  url: URL,
  state: 'unknown',
  since: 0,
  failures: 0,
  moves: 0,
  firstAt: null,
  finalUrl: null,
  finalTitle: null,
  dueAt: 0,
  lastNotifiedBundleId: null,
}
const THERE: CheckResult = { kind: 'there', movedTo: null }
const GONE: CheckResult = { kind: 'gone' }
const movedTo = (url: string): CheckResult => ({ kind: 'there', movedTo: url })

/** What becomes of a link whose looks find these, each when it is due. */
function probed(...found: CheckResult[]): Finding[] {
  let link = NEW
  return found.map((seen) => (link = after(link, seen, link.dueAt ?? 0)))
}
const states = (...found: CheckResult[]) => probed(...found).map(({ state }) => state)

describe('a link', () => {
  test('is looked at every three days, and is as it was first found since then', () => {
    const found = probed(THERE, THERE, THERE)
    expect(found.map(({ state, since, dueAt }) => [state, since, dueAt])).toEqual([
      ['ok', 0, 3 * DAY],
      ['ok', 0, 6 * DAY],
      ['ok', 0, 9 * DAY],
    ])
  })

  test('is broken after three failures over three days, since the first of them', () => {
    const [first, second, third, fourth] = probed(THERE, GONE, GONE, GONE).slice(0)
    expect([first?.state, second?.state, third?.state]).toEqual(['ok', 'ok', 'ok'])
    expect(fourth).toMatchObject({ state: 'broken', since: 3 * DAY, dueAt: 9 * DAY, lastNotifiedBundleId: 0 })
  })

  test('is not broken by failures that are interrupted, nor by many within a short time', () => {
    expect(states(GONE, GONE, THERE, GONE, GONE)).toEqual(['unknown', 'unknown', 'ok', 'ok', 'ok'])
    let link = NEW
    for (let hour = 0; hour < 48; hour += 1) link = after(link, GONE, hour * 3_600_000)
    expect([link.state, link.failures]).toEqual(['unknown', 48])
  })

  test('is not broken by two failures, however many days they are apart', () => {
    const once = after(NEW, GONE, 0)
    const twice = after(once, GONE, 10 * DAY)
    expect([twice.state, after(twice, GONE, 11 * DAY).state]).toEqual(['unknown', 'broken'])
  })

  test('has not moved to an address that is longer than a link may be', () => {
    const [fits, tooLong] = [2_048, 2_049].map((length) => movedTo('https://example.com/'.padEnd(length, 'x')))
    expect(probed(fits!, fits!, fits!).at(-1)?.state).toBe('moved')
    expect(probed(tooLong!, tooLong!, tooLong!).at(-1)).toMatchObject({ state: 'ok', finalUrl: null })
  })

  test('that comes back is as before, with nothing left to tell', () => {
    expect(probed(GONE, GONE, GONE, THERE).at(-1)).toMatchObject({
      state: 'ok',
      since: 6 * DAY,
      failures: 0,
      lastNotifiedBundleId: null,
    })
  })

  test('has moved once three looks were led to one place for good, since the first of them', () => {
    const there = movedTo('https://example.com/new')
    const found = probed(THERE, there, there, there)
    expect(found.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'moved'])
    expect(found.at(-1)).toMatchObject({ since: 3 * DAY, finalUrl: 'https://example.com/new', lastNotifiedBundleId: 0 })
  })

  test('has not moved if it is led elsewhere each time, or to itself', () => {
    const [one, other] = [movedTo('https://example.com/1'), movedTo('https://example.com/2')]
    expect(states(one, one, other, one, one)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    expect(states(movedTo(URL), movedTo(URL), movedTo(URL)).at(-1)).toBe('ok')
  })

  test('has the title that was seen where it leads, which is forgotten with that', () => {
    const there = movedTo('https://example.com/new')
    const titled: CheckResult = { kind: 'there', movedTo: 'https://example.com/new', title: 'The plan' }
    const found = probed(there, there, titled, there)
    expect(found.map(({ finalTitle }) => finalTitle)).toEqual([null, null, 'The plan', 'The plan'])
    const elsewhere = [movedTo('https://example.com/newer'), THERE]
    expect(elsewhere.map((seen) => probed(there, there, titled, seen).at(-1)?.finalTitle)).toEqual([null, null])
    expect(probed(there, there, titled, GONE, GONE, GONE).at(-1)?.finalTitle).toBeNull()
  })

  test('that could not be asked for stays as it is, and is tried again a day later', () => {
    const [found] = probed({ kind: 'unchecked' })
    expect(found).toEqual({ ...NEW, dueAt: DAY })
  })
})
