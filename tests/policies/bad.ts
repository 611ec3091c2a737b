/** A policy that must be refused: what is wrong, the policy, and the path and expectation in the error. */
export type Bad = readonly [what: string, policy: unknown, path: string, expected: string | RegExp]

export const TAB = { url: 'https://a.example/' }
export const YES = { op: 'signedIn' }

/** A policy of one rule. */
export const policyOf = (when: unknown, more: Record<string, unknown> = {}) => ({
  version: 1,
  rules: [{ name: 'one', when, tabs: [TAB], ...more }],
})
const rules = (...list: unknown[]) => ({ version: 1, rules: list })
const rule = (name: string, more: Record<string, unknown> = {}) => ({ name, when: YES, tabs: [TAB], ...more })
/** `depth` nested `not` around a leaf. */
export const nested = (depth: number, op = 'not'): unknown => (depth === 0 ? YES : { op, of: [nested(depth - 1, op)] })

const LONG = 'x'.repeat(513)
const COMPOUNDS = ['and', 'or', 'not'] as const
const TEXTS = ['equals', 'startsWith', 'endsWith', 'contains'] as const
const WHEN = 'rules[0].when'
const OPS = /^one of and, or, not, signedIn, equals, in, .*, timeWindow$/
const FIELDS = /^one of emailDomain, orgRole, .*, query\.<name>/
const TEXT = /^a text of at most 512/
const TIME = /^a time with its zone/
const WINDOW = { op: 'timeWindow', days: ['mon'], from: '09:00', to: '17:00', timeZone: 'Europe/Berlin' }
const REMOVED = 'remove it'

const ofPolicy: Bad[] = [
  ['a text', 'policy', '', 'an object'],
  ['a number', 5, '', 'an object'],
  ['a list', [], '', 'an object'],
  ['no rules', { version: 1 }, 'rules', 'an array'],
  ['no version', { rules: [] }, 'version', '1'],
  ['version 2', { version: 2, rules: [] }, 'version', '1'],
  ['version as text', { version: '1', rules: [] }, 'version', '1'],
  ['rules an object', { version: 1, rules: {} }, 'rules', 'an array'],
  ['an unknown key', { version: 1, rules: [], mode: 'x' }, 'mode', REMOVED],
  ['51 rules', rules(...Array.from({ length: 51 }, (_, n) => rule(`${n}`))), 'rules', /50/],
  [
    'more than 128 KiB',
    rules(...Array.from({ length: 50 }, (_, n) => rule(`${n}`, { when: manyValues() }))),
    '',
    /128 KiB/,
  ],
]

function manyValues() {
  return { op: 'in', field: 'os', values: Array.from({ length: 250 }, (_, n) => `value number ${n}`) }
}

const ofRule: Bad[] = [
  ['a rule that is null', rules(null), 'rules[0]', 'an object'],
  ['a rule that is a text', rules('x'), 'rules[0]', 'an object'],
  ['no name', rules({ when: YES, tabs: [TAB] }), 'rules[0].name', 'a string'],
  ['an empty name', rules(rule('')), 'rules[0].name', 'a text that is not blank'],
  ['a blank name', rules(rule('  ')), 'rules[0].name', 'a text that is not blank'],
  ['a name of 121', rules(rule('x'.repeat(121))), 'rules[0].name', 'at most 120 characters'],
  ['a name of two lines', rules(rule('a\nb')), 'rules[0].name', 'free of control characters'],
  ['half a character', rules(rule('\ud800')), 'rules[0].name', 'well-formed Unicode'],
  ['a name twice', rules(rule('a'), rule('b'), rule('a')), 'rules[2].name', 'different from the name of rules[0]'],
  ['no condition', rules({ name: 'a', tabs: [TAB] }), 'rules[0].when', /a condition: an object/],
  ['a badge as text', rules(rule('a', { showBadge: 'yes' })), 'rules[0].showBadge', 'false or true'],
  ['an unknown key', rules(rule('a', { priority: 1 })), 'rules[0].priority', REMOVED],
  ['an unknown key with a space', rules(rule('a', { 'show badge': 1 })), 'rules[0]["show badge"]', REMOVED],
  ['an id of another shape', rules(rule('a', { id: 'r_1' })), 'rules[0].id', 'the id of a rule of this bundle'],
  ['a numeric id', rules(rule('a', { id: 7 })), 'rules[0].id', 'a string'],
  ['no tabs', rules({ name: 'a', when: YES }), 'rules[0].tabs', 'an array'],
  ['an empty list of tabs', rules(rule('a', { tabs: [] })), 'rules[0].tabs', 'at least 1 entry'],
  ['21 tabs', rules(rule('a', { tabs: Array(21).fill(TAB) })), 'rules[0].tabs', /20/],
  ['a tab as text', rules(rule('a', { tabs: ['https://a.example'] })), 'rules[0].tabs[0]', 'an object'],
  ['a tab without url', rules(rule('a', { tabs: [TAB, {}] })), 'rules[0].tabs[1].url', 'a string'],
  ['ftp', rules(rule('a', { tabs: [{ url: 'ftp://a.example' }] })), 'rules[0].tabs[0].url', /^an http: or https: URL/],
  ['a script', rules(rule('a', { tabs: [{ url: 'javascript:alert(1)' }] })), 'rules[0].tabs[0].url', /^an http/],
  ['no URL', rules(rule('a', { tabs: [{ url: 'a.example' }] })), 'rules[0].tabs[0].url', /^an http: or https: URL/],
  ['a URL of 2049', rules(rule('a', { tabs: [longTab()] })), 'rules[0].tabs[0].url', 'at most 2048 characters'],
  ['a note of 501', rules(rule('a', { tabs: [{ ...TAB, note: 'x'.repeat(501) }] })), 'rules[0].tabs[0].note', /500/],
  ['a numeric note', rules(rule('a', { tabs: [{ ...TAB, note: 1 }] })), 'rules[0].tabs[0].note', 'a string'],
  ['a tab with tags', rules(rule('a', { tabs: [{ ...TAB, tags: [] }] })), 'rules[0].tabs[0].tags', REMOVED],
]

function longTab() {
  return { url: `https://a.example/${'x'.repeat(2049 - 'https://a.example/'.length)}` }
}

const ofCondition: Bad[] = [
  ['null', null, '', /a condition: an object/],
  ['a text', 'signedIn', '', /a condition: an object/],
  ['a list', [YES], '', /a condition: an object/],
  ['no op', {}, '.op', OPS],
  ['an unknown op', { op: 'matches' }, '.op', OPS],
  ['an op in capitals', { op: 'AND', of: [YES] }, '.op', OPS],
  ['an op that objects have', { op: 'toString' }, '.op', OPS],
  ['a numeric op', { op: 1 }, '.op', OPS],
  ['signedIn with a value', { op: 'signedIn', value: true }, '.value', REMOVED],
  ...COMPOUNDS.flatMap((op): Bad[] => [
    [`${op} without of`, { op }, op === 'not' ? '.of' : '.of', op === 'not' ? /a condition: an object/ : /at least 1/],
    [`${op} of nothing`, { op, of: [] }, '.of', /at least 1/],
    [`${op} with conditions`, { op, of: [YES], conditions: [] }, '.conditions', REMOVED],
    [`${op} of a text`, { op, of: ['signedIn'] }, '.of[0]', /a condition: an object/],
    [`${op} of an unknown op`, { op, of: [{ op: 'is' }] }, '.of[0].op', OPS],
  ]),
  ['and of an object', { op: 'and', of: YES }, '.of', /at least 1/],
  ['not of two', { op: 'not', of: [YES, YES] }, '.of', 'one condition'],
  ['not of a bare wrong one', { op: 'not', of: { op: 'is' } }, '.of.op', OPS],
  ['the second of an and', { op: 'and', of: [YES, { op: 'is' }] }, '.of[1].op', OPS],
  ['five deep', nested(5), '.of[0].of[0].of[0].of[0]', /^no deeper.* 4 deep$/],
  ['five deep by or', nested(5, 'or'), '.of[0].of[0].of[0].of[0]', /^no deeper/],
  ['five deep, bare', bare(5), '.of.of.of.of', /^no deeper/],
  ...TEXTS.flatMap((op): Bad[] => [
    [`${op} without field`, { op, value: 'x' }, '.field', FIELDS],
    [`${op} without value`, { op, field: 'os' }, '.value', TEXT],
    [`${op} of email`, { op, field: 'email', value: 'x' }, '.field', FIELDS],
    [`${op} of now`, { op, field: 'now', value: 'x' }, '.field', /now goes with before and after/],
    [`${op} of a number`, { op, field: 'os', value: 5 }, '.value', TEXT],
    [`${op} of 513`, { op, field: 'os', value: LONG }, '.value', 'at most 512 characters'],
    [`${op} of a control`, { op, field: 'os', value: 'a\u0000' }, '.value', 'free of control characters'],
    [`${op} with values`, { op, field: 'os', value: 'x', values: ['x'] }, '.values', REMOVED],
  ]),
  ['startsWith nothing', { op: 'startsWith', field: 'os', value: '' }, '.value', /at least 1 character/],
  ['endsWith nothing', { op: 'endsWith', field: 'os', value: '' }, '.value', /at least 1 character/],
  ['contains nothing', { op: 'contains', field: 'os', value: '' }, '.value', /at least 1 character/],
  ...['', 'German', 'toolonglanguage', 'de-', '*', 5].map(
    (value): Bad => [
      `language of ${value}`,
      { op: 'language', value },
      '.value',
      /a language tag, such as de or pt-BR/,
    ],
  ),
  ['language with a field', { op: 'language', field: 'language', value: 'de' }, '.field', REMOVED],
  ['a query without name', { op: 'exists', field: 'query.' }, '.field', FIELDS],
  ['a query alone', { op: 'exists', field: 'query' }, '.field', FIELDS],
  ['a query name of 101', { op: 'exists', field: `query.${'x'.repeat(101)}` }, '.field', FIELDS],
  ['exists with a value', { op: 'exists', field: 'os', value: 'x' }, '.value', REMOVED],
  ['exists of now', { op: 'exists', field: 'now' }, '.field', FIELDS],
  ['a field of objects', { op: 'exists', field: 'constructor' }, '.field', FIELDS],
  ['in without values', { op: 'in', field: 'os' }, '.values', /1 to 250/],
  ['in of nothing', { op: 'in', field: 'os', values: [] }, '.values', /1 to 250/],
  ['in of 251', { op: 'in', field: 'os', values: Array(251).fill('x') }, '.values', /1 to 250/],
  ['in of a text', { op: 'in', field: 'os', values: 'x' }, '.values', /1 to 250/],
  ['in by value of a text', { op: 'in', field: 'os', value: 'x' }, '.value', /1 to 250/],
  ['in both ways', { op: 'in', field: 'os', value: ['x'], values: ['x'] }, '.value', REMOVED],
  ['in of a number', { op: 'in', field: 'os', values: ['x', 5] }, '.values[1]', TEXT],
  ['in by value of 513', { op: 'in', field: 'os', value: ['x', 'y', LONG] }, '.value[2]', 'at most 512 characters'],
  ['before without value', { op: 'before', field: 'now' }, '.value', TIME],
  ['before of another field', { op: 'before', field: 'os', value: '2026-12-01T00:00:00Z' }, '.field', 'now'],
  ['after without field', { op: 'after', value: '2026-12-01T00:00:00Z' }, '.field', 'now'],
  ...[
    '2026-12-01',
    '2026-12-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '1.12.2026',
    'tomorrow',
    '2026-12-01T24:00:00Z',
    '2026-12-01T00:00:00+25:00',
    '',
    1796083200000,
  ].map((value): Bad => [`after ${value}`, { op: 'after', field: 'now', value }, '.value', TIME]),
  ['a window without days', { ...WINDOW, days: undefined }, '.days', /1 to 7 of mon/],
  ['a window on no day', { ...WINDOW, days: [] }, '.days', /1 to 7 of mon/],
  ['a window on eight days', { ...WINDOW, days: Array(8).fill('mon') }, '.days', /1 to 7 of mon/],
  ['a window on Monday', { ...WINDOW, days: ['mon', 'Monday'] }, '.days[1]', /^one of mon/],
  ['a window from 9', { ...WINDOW, from: '9:00' }, '.from', '00:00 to 23:59'],
  ['a window from 24:00', { ...WINDOW, from: '24:00' }, '.from', '00:00 to 23:59'],
  ['a window to 25:00', { ...WINDOW, to: '25:00' }, '.to', '00:00 to 24:00'],
  ['a window to 17:60', { ...WINDOW, to: '17:60' }, '.to', '00:00 to 24:00'],
  ['a window without zone', { ...WINDOW, timeZone: undefined }, '.timeZone', /IANA/],
  ['a window in no zone', { ...WINDOW, timeZone: 'Europe/Atlantis' }, '.timeZone', /IANA/],
  ['a window at an offset', { ...WINDOW, timeZone: '+02:00' }, '.timeZone', /IANA/],
  ['a window with seconds', { ...WINDOW, to: '17:00:00' }, '.to', '00:00 to 24:00'],
  ['a window with a field', { ...WINDOW, field: 'now' }, '.field', REMOVED],
]

function bare(depth: number): unknown {
  return depth === 0 ? YES : { op: 'not', of: bare(depth - 1) }
}

/** About 130 policies that must be refused; paths are relative to `resolutionPolicy`. */
export const BAD: readonly Bad[] = [
  ...ofPolicy,
  ...ofRule,
  ...ofCondition.map(([what, when, path, expected]): Bad => [what, policyOf(when), WHEN + path, expected]),
]
