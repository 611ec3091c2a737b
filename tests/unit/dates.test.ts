import { expect, test } from 'bun:test'
import { DATE_DEFAULTS, dateOf, withDates, zoneOf } from '../../src/core/dates.js'

const all = (at: string, zone = 'UTC') => DATE_DEFAULTS.map((text) => dateOf(text, zone, Date.parse(at)))

test.each([
  ['2026-11-29T22:00:00Z', ['2026-11-29', '2026-11-28', '2026-W48', '2026-11', '2026-10']],
  ['2026-12-31T12:00:00Z', ['2026-12-31', '2026-12-30', '2026-W53', '2026-12', '2026-11']],
  ['2027-01-01T00:00:00Z', ['2027-01-01', '2026-12-31', '2026-W53', '2027-01', '2026-12']],
  ['2027-01-03T23:59:59Z', ['2027-01-03', '2027-01-02', '2026-W53', '2027-01', '2026-12']],
  ['2027-01-04T00:00:00Z', ['2027-01-04', '2027-01-03', '2027-W01', '2027-01', '2026-12']],
  // A year that begins in the week before, and one that ends in the week after.
  ['2024-12-30T00:00:00Z', ['2024-12-30', '2024-12-29', '2025-W01', '2024-12', '2024-11']],
  ['2028-03-01T00:00:00Z', ['2028-03-01', '2028-02-29', '2028-W09', '2028-03', '2028-02']],
  ['2026-03-31T00:00:00Z', ['2026-03-31', '2026-03-30', '2026-W14', '2026-03', '2026-02']],
])('in UTC, at %s, the dates are %j', (at, dates) => expect(all(at)).toEqual(dates))

test.each([
  // The hour before and after midnight, on the days on which clocks change.
  ['2026-03-28T22:59:59Z', 'Europe/Berlin', '2026-03-28'],
  ['2026-03-28T23:00:00Z', 'Europe/Berlin', '2026-03-29'],
  ['2026-03-29T21:59:59Z', 'Europe/Berlin', '2026-03-29'],
  ['2026-03-29T22:00:00Z', 'Europe/Berlin', '2026-03-30'],
  ['2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
  ['2026-11-01T03:59:59Z', 'America/New_York', '2026-10-31'],
  ['2026-11-01T04:00:00Z', 'America/New_York', '2026-11-01'],
  ['2026-11-02T04:59:59Z', 'America/New_York', '2026-11-01'],
  // Midnight itself is left out.
  ['2026-09-06T03:59:59Z', 'America/Santiago', '2026-09-05'],
  ['2026-09-06T04:00:00Z', 'America/Santiago', '2026-09-06'],
  ['2026-11-29T09:59:59Z', 'Pacific/Kiritimati', '2026-11-29'],
  ['2026-11-29T10:00:00Z', 'Pacific/Kiritimati', '2026-11-30'],
])('at %s in %s, it is %s, and yesterday the day before', (at, zone, today) => {
  const [day = '', yesterday = ''] = all(at, zone)
  expect(day).toBe(today)
  expect(Date.parse(day) - Date.parse(yesterday)).toBe(86_400_000)
})

test('only names of time zones count; anything else is UTC', () => {
  expect(zoneOf('asia/tokyo')).toBe('Asia/Tokyo')
  for (const none of [null, undefined, '', 'Nowhere/None', '+02:00', 'Asia/Tokyo\n', `A${'a'.repeat(70)}`])
    expect([none, zoneOf(none)]).toEqual([none, 'UTC'])
})

test('another text with an equals sign, an option, and every other default is a text', () => {
  const texts = [{ default: '=tomorrow' }, { default: '=TODAY' }, { default: '=today', options: ['=today'] }, {}]
  expect(withDates(texts, 'Asia/Tokyo')).toBe(texts)
})
