import { expect, test } from 'bun:test'
import { readImport, readList } from '../../src/imports/import.ts'
import { prng } from '../prng.ts'
import { PASTES } from './pastes.ts'
import * as WILD from './wild.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** What no title is, each told in another way than the reader does. */
const NO_TITLES: readonly [what: string, pattern: RegExp][] = [
  ['JSON', /[{}[]\s*"|"\s*[:,]\s*["'{[]|^\s*[{}](?!\w+\})/],
  ['markup', /<\/?[a-z]+[\s>]|\]\(|\[\/?url|&[a-z]+;|\*\*|^[`~_*]+$/i],
  ['an address', /\b[a-z][a-z0-9+.-]*:\/\//i],
  ['somebody’s address', /\S@\S+\.\w/],
  ['who said it', /\b(?:Ben Ode|Ode, Ben)\b/],
  ['when it was said', /^\[?\d{1,2}:\d{2}(?::\d{2})?\]?$|\d:\d{2}.*\bBen\b/],
]
/** A tab's title is what its page says. */
const OF_PAGES = /^see https:/

function titlesIn(text: string): string[] {
  const read = [readList(text), ...readImport(text).bundles]
  return read.flatMap(({ title, links }) => [
    title ?? '',
    ...links.flatMap(({ metadata: { note = '', section = '' } }) => [note.split('\n')[0] ?? '', section]),
  ])
}

function expectTitles(text: string): void {
  for (const title of titlesIn(text).filter((one) => !OF_PAGES.test(one))) {
    const found = NO_TITLES.filter(([, pattern]) => pattern.test(title)).map(([what]) => what)
    expect({ seed, text, title, found }).toEqual({ seed, text, title, found: [] })
  }
}

test('nothing is a title in any known text that is not a title', () => {
  for (const [, text] of [...Object.values(WILD).flat(), ...PASTES]) expectTitles(text)
})

/** How a line begins, and what may stand around its words and its links. */
const LEADS = [
  ...['', '', '- ', '> ', '☐ ', '1. ', '| ', '## '],
  ...['10:03 Ben Ode: ', 'Ben Ode, 10:03 ', '[10:03] Ben Ode: ', 'Ben Ode  10:03 ', '> [10:03] Ben Ode: ', '10:03 '],
  ...['"url": "', '{"title":"Plan","url":"', '{"a":[', '},', 'url: ', 'href=', 'mailto:ada@acme.example '],
]
const AROUND = [
  ...['</a>', '<b>', '<a href="x">', '<br>', '&quot;', '&lt;br&gt;', '&amp;', '"', '"},', '", "title": "Plan"'],
  ...['**', '`', '~~', '_', '*', '[Plan](', ')', '[[', '][Plan]]', '[url=', ']Plan[/url]', '[img]', '|', '| '],
  ...['ada@acme.example ', 'Ada <ada@acme.example> ', ' ada@acme.example', '(ada@acme.example)'],
  ...['Plan ', ' the board ', ', ', ' – ', ': ', ' ', 'Plan', ' https://a.example/plan ', ' https://b.example/board'],
]

test('nothing is a title in texts of any pieces that is not a title', () => {
  const random = prng(seed)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  const some = () => Array.from({ length: Math.floor(random() * 4) }, () => pick(AROUND)).join('')
  const line = () => `${pick(LEADS)}${some()}https://c.example/${Math.floor(random() * 9)}${some()}`
  for (let round = 0; round < 400; round += 1) {
    expectTitles(Array.from({ length: 1 + Math.floor(random() * 3) }, line).join('\n'))
  }
})
