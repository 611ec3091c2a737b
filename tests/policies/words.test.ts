import { expect, test } from 'bun:test'
import type { Condition } from '../../db/policy.ts'
import { conditionWords, summaryOf } from '../../views/dashboard/parts/rules/words.ts'
import { prng } from '../prng.ts'
import { RandomPolicies } from './random.ts'

const IN: Condition = { op: 'signedIn' }
const ACME: Condition = { op: 'equals', field: 'emailDomain', value: 'acme.com' }
const PHONE: Condition = { op: 'equals', field: 'device', value: 'mobile' }
const GERMAN: Condition = { op: 'startsWith', field: 'language', value: 'de' }
const not = (...of: Condition[]): Condition => ({ op: 'not', of })
const and = (...of: Condition[]): Condition => ({ op: 'and', of })
const or = (...of: Condition[]): Condition => ({ op: 'or', of })
const days = (days: string[], from: string, to: string) =>
  ({ op: 'timeWindow', days, from, to, timeZone: 'Europe/Berlin' }) as Condition

/** Without bidirectional isolates. */
const plain = (condition: Condition) => summaryOf(condition).replace(/[\u2068\u2069]/g, '')

test.each([
  ['Signed in with an address at acme.com, on a phone', and(IN, ACME, PHONE)],
  ['Signed in, either on a phone or reading German (de…)', and(IN, or(PHONE, GERMAN))],
  ['Either (signed in, not on a phone) or reading German (de…)', or(and(IN, not(PHONE)), GERMAN)],
  ['Not (signed in, on a phone)', not(and(IN, PHONE))],
  ['Without an address at acme.com', not(ACME)],
  ['With an address whose domain ends with .edu', { op: 'endsWith', field: 'emailDomain', value: '.edu' }],
  ['As a member of the organisation', { op: 'exists', field: 'orgRole' }],
  [
    'In Germany, Austria, Switzerland or 2 more',
    { op: 'in', field: 'country', values: ['DE', 'AT', 'CH', 'FR', 'IT'] },
  ],
  ['Reading German (de)', { op: 'equals', field: 'language', value: 'de' }],
  ['Reading German (de)', { op: 'language', value: 'de' }],
  ['Not reading German (de)', not({ op: 'language', value: 'de' })],
  ['In a browser or as an AI agent', { op: 'in', field: 'client', values: ['browser', 'agent'] }],
  ['Not as a program', not({ op: 'equals', field: 'client', value: 'script' })],
  ['On iOS', { op: 'equals', field: 'os', value: 'iOS' }],
  [
    'With ?utm_campaign in the link that contains “launch day”',
    { op: 'contains', field: 'query.utm_campaign', value: 'launch day' },
  ],
  ['Before 1 Dec 2026, 00:00 UTC', { op: 'before', field: 'now', value: '2026-12-01T00:00:00Z' }],
  ['From 1 Nov 2026, 09:30 (UTC+01:00) on', { op: 'after', field: 'now', value: '2026-11-01T09:30:00+01:00' }],
  ['Before 1 Nov 2026, 09:30 UTC', not({ op: 'after', field: 'now', value: '2026-11-01T09:30:00Z' })],
  ['Monday to Friday, 09:00 to 17:30 (Europe/Berlin)', days(['mon', 'tue', 'wed', 'thu', 'fri'], '09:00', '17:30')],
  ['On Friday and Sunday, 22:00 to 02:00 the next day (Europe/Berlin)', days(['fri', 'sun'], '22:00', '02:00')],
  ['Every day, all day (Europe/Berlin)', days(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], '00:00', '24:00')],
] as [string, Condition][])('%s', (words, condition) => {
  expect(plain(condition)).toBe(words)
})

const VARIABLES = [{ name: 'customer', label: 'Customer number' }, { name: 'region' }]
const starts: Condition = { op: 'startsWith', field: 'query.customer', value: 'EU-' }

test.each<[words: string, condition: Condition]>([
  ['When Customer number begins with EU-', starts],
  ['Unless Customer number begins with EU-', not(starts)],
  ['Signed in, when Region is eu or us', and(IN, { op: 'in', field: 'query.region', values: ['eu', 'us'] })],
  ['Either on a phone or when Region is eu', or(PHONE, { op: 'equals', field: 'query.region', value: 'eu' })],
  ['When Customer number is filled in', { op: 'exists', field: 'query.customer' }],
  ['With ?ref = mail in the link', { op: 'equals', field: 'query.ref', value: 'mail' }],
])('of a bundle with variables: %s', (words, condition) => {
  expect(summaryOf(condition, VARIABLES).replace(/[\u2068\u2069]/g, '')).toBe(words)
  expect(summaryOf(condition)).not.toContain('Customer number')
})

test('a summary is short, and an edit is compared in full', () => {
  const values = ['a.example', 'b.example', 'c.example', `${'d'.repeat(60)}.example`]
  const condition: Condition = { op: 'in', field: 'emailDomain', values }
  expect(plain(condition)).toBe('With an address at a.example, b.example, c.example or 1 more')
  expect(conditionWords(condition).replace(/[\u2068\u2069]/g, '')).toBe(
    `with an address at a.example, b.example, c.example or ${values[3]}`,
  )
  const many = Array.from({ length: 12 }, (_, n): Condition => ({ op: 'equals', field: 'os', value: `os${n}` }))
  expect(plain(or(...many))).toEndWith('or 4 more')
  expect(conditionWords(or(...many))).toContain('os11')
})

test('any condition has a description, of a readable length', () => {
  const random = new RandomPolicies(prng(5))
  for (let tries = 0; tries < 500; tries += 1)
    expect(summaryOf(random.condition(0))).not.toMatch(/undefined|null|\[object/)
  const long = or(...Array.from({ length: 5000 }, () => ({ ...ACME, value: 'x'.repeat(512) }) as Condition))
  expect(summaryOf(long).length).toBeLessThan(1000)
})
