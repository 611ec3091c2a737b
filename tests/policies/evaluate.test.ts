import { expect, test } from 'bun:test'
import type { Condition, Field, Policy, TimeWindow } from '../../db/policy.ts'
import { readValues } from '../../src/core/template.js'
import { compile } from '../../src/policies/evaluate.ts'
import { preview } from '../../src/policies/preview.ts'
import { describedViewer, viewerOf } from '../../src/policies/viewer.ts'

const policyOf = (when: Condition): Policy => ({
  version: 1,
  rules: [{ id: 'r_0000000000', name: 'one', when, tabs: [{ url: 'https://a.example/' }] }],
})

test('a fact that no condition uses is not read, and one that many use is read once', () => {
  const asked: Field[] = []
  const viewer = { signedIn: false, now: 0, fact: (field: Field) => (asked.push(field) === 0 ? '' : null) }
  const rule = policyOf({ op: 'exists', field: 'os' }).rules[0]!
  const rules = Array.from({ length: 50 }, (_, index) => ({
    ...rule,
    when: { op: 'equals', field: index % 2 ? 'os' : 'language', value: 'x' } as const,
  }))
  const compiled = compile({ version: 1, rules })
  expect(compiled.match(viewer)).toBeNull()
  expect(new Set(asked)).toEqual(new Set(['language', 'os']))
  expect(asked.length).toBeLessThanOrEqual(4)
  asked.length = 0
  expect(compiled.match(viewer)).toBeNull()
  expect(asked.length).toBe(2)
  expect([compiled.needs('os'), compiled.needs('country'), compiled.needs('signedIn')]).toEqual([true, false, false])
})

const BERLIN: TimeWindow = { op: 'timeWindow', days: ['sun'], from: '02:15', to: '02:45', timeZone: 'Europe/Berlin' }
const NIGHT: TimeWindow = { op: 'timeWindow', days: ['fri'], from: '22:00', to: '02:00', timeZone: 'America/New_York' }
const DAY: TimeWindow = { op: 'timeWindow', days: ['mon'], from: '00:00', to: '24:00', timeZone: 'Asia/Kolkata' }

/** Windows and times: a skipped hour, a repeated hour, nights, ends. */
const WINDOWS: [what: string, window: TimeWindow, now: string, isOpen: boolean][] = [
  ['the hour that summer skips', BERLIN, '2026-03-29T00:30:00Z', false],
  ['the hour that summer skips, after', BERLIN, '2026-03-29T01:30:00Z', false],
  ['the hour that winter repeats, first', BERLIN, '2026-10-25T00:30:00Z', true],
  ['the hour that winter repeats, between', BERLIN, '2026-10-25T00:50:00Z', false],
  ['the hour that winter repeats, again', BERLIN, '2026-10-25T01:30:00Z', true],
  ['a summer Sunday', BERLIN, '2026-07-05T00:30:00Z', true],
  ['a winter Sunday at that time', BERLIN, '2026-01-04T00:30:00Z', false],
  ['a winter Sunday', BERLIN, '2026-01-04T01:30:00Z', true],
  ['from belongs to the window', BERLIN, '2026-07-05T00:15:00Z', true],
  ['just before from', BERLIN, '2026-07-05T00:14:59.999Z', false],
  ['to does not', BERLIN, '2026-07-05T00:45:00Z', false],
  ['just before to', BERLIN, '2026-07-05T00:44:59.999Z', true],
  ['Friday night', NIGHT, '2026-07-11T02:00:00Z', true],
  ['Saturday before two', NIGHT, '2026-07-11T05:59:00Z', true],
  ['Saturday at two', NIGHT, '2026-07-11T06:00:00Z', false],
  ['Saturday night', NIGHT, '2026-07-12T03:00:00Z', false],
  ['Friday before two', NIGHT, '2026-07-10T05:00:00Z', false],
  ['Friday at noon', NIGHT, '2026-07-10T16:00:00Z', false],
  ['the first minute of a whole day', DAY, '2026-07-05T18:30:00Z', true],
  ['the last', DAY, '2026-07-06T18:29:59Z', true],
  ['the next', DAY, '2026-07-06T18:30:00Z', false],
  ['the same time twice is a day', { ...DAY, from: '09:00', to: '09:00' }, '2026-07-07T03:29:00Z', true],
  ['the same time twice, after', { ...DAY, from: '09:00', to: '09:00' }, '2026-07-07T03:30:00Z', false],
  ['the same time twice, before', { ...DAY, from: '09:00', to: '09:00' }, '2026-07-06T03:29:00Z', false],
]

test('time windows follow the wall clock of their zone', () => {
  const wrong = WINDOWS.filter(([, window, now, isOpen]) => {
    const match = compile(policyOf(window)).match(describedViewer({ now }, 0))
    return (match !== null) !== isOpen
  })
  expect(wrong).toEqual([])
})

test('before excludes its instant and after includes it', () => {
  const value = '2026-12-01T00:00:00+01:00'
  const at = (op: 'before' | 'after', now: string) =>
    compile(policyOf({ op, field: 'now', value })).match(describedViewer({ now }, 0)) !== null
  expect(at('before', '2026-11-30T22:59:59.999Z')).toBe(true)
  expect(at('before', '2026-11-30T23:00:00Z')).toBe(false)
  expect(at('after', '2026-11-30T22:59:59.999Z')).toBe(false)
  expect(at('after', '2026-11-30T23:00:00Z')).toBe(true)
})

test('facts are read from headers as decided, and missing ones are absent', () => {
  const UA = {
    edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0',
    iphone:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    chromebook:
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  }
  const cases: [Field, headers: Record<string, string>, url: string, fact: string | null][] = [
    ['language', { 'accept-language': 'en;q=0.8, de-DE;q=0.9, *;q=1' }, '/', 'de-de'],
    ['language', { 'accept-language': 'fr, de' }, '/', 'fr'],
    ['language', { 'accept-language': 'de;q=0, *' }, '/', null],
    ['language', { 'accept-language': ';;,q=1,' }, '/', null],
    ['language', {}, '/', null],
    ['client', { 'user-agent': UA.edge }, '/', 'browser'],
    ['client', { 'user-agent': UA.edge, accept: 'text/html,*/*;q=0.8' }, '/', 'browser'],
    ['client', { 'user-agent': UA.edge, accept: 'text/markdown, */*' }, '/', 'agent'],
    ['client', { 'user-agent': 'Mozilla/5.0 (compatible; PerplexityBot/1.0)' }, '/', 'agent'],
    [
      'client',
      { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' },
      '/',
      'script',
    ],
    ['client', { 'user-agent': 'curl/8.14.1', accept: '*/*' }, '/', 'script'],
    ['client', {}, '/', 'script'],
    ['device', { 'user-agent': UA.edge }, '/', 'desktop'],
    ['os', { 'user-agent': UA.edge }, '/', 'windows'],
    ['browser', { 'user-agent': UA.edge }, '/', 'edge'],
    ['device', { 'user-agent': UA.iphone }, '/', 'mobile'],
    ['browser', { 'user-agent': UA.iphone }, '/', 'safari'],
    ['device', { 'user-agent': UA.chromebook }, '/', 'desktop'],
    ['os', { 'user-agent': 'x' }, '/', null],
    ['browser', {}, '/', null],
    ['country', { 'x-country': 'de' }, '/', 'de'],
    ['country', { 'x-country': 'US, DE' }, '/', 'de'],
    ['country', { 'x-country': 'XX' }, '/', null],
    ['country', { 'x-country': 'T1' }, '/', null],
    ['country', { 'cf-ipcountry': 'DE' }, '/', null],
    ['referrerDomain', { referer: 'https://News.Example:8443/a?b' }, '/', 'news.example'],
    ['referrerDomain', { referer: 'about:blank' }, '/', null],
    ['referrerDomain', { referer: 'nonsense' }, '/', null],
    ['query.ref', {}, 'https://x.example/l/a?ref=A%20b&ref=c#?ref=d', 'a b'],
    ['query.ref', {}, '/l/a?REF=x', null],
    ['query.ref', {}, '/l/a?ref', ''],
    ['query.ref', {}, '/l/a#?ref=x', null],
    ['emailDomain', {}, '/', null],
    ['orgRole', {}, '/', null],
  ]
  const wrong = cases
    .map(([field, headers, url, fact]) => {
      const viewer = viewerOf({ headers: new Headers(headers), url, now: 0, countryHeader: 'x-country', account: null })
      return [field, headers, url, fact, viewer.fact(field)]
    })
    .filter(([, , , fact, found]) => fact !== found)
  expect(wrong).toEqual([])
  const unset = { url: '/', now: 0, countryHeader: undefined, account: null }
  expect(viewerOf({ ...unset, headers: new Headers({ 'x-country': 'DE' }) }).fact('country')).toBeNull()
})

test('a preview without a policy shows the bundle’s own tabs', () => {
  const urls = ['https://a.example/', 'https://b.example/']
  const own = { urls, urlMetadata: [{ note: 'n', tags: ['t'] }, {}], variables: [] }
  const filling = readValues([], () => null)
  expect(preview(null, own, describedViewer({}, 0), filling, 0)).toEqual({
    filling,
    matchedRuleId: null,
    matchedRuleName: null,
    tabs: [{ url: 'https://a.example/', note: 'n' }, { url: 'https://b.example/' }],
    trace: [],
    warnings: [],
  })
})
