import { expect, test } from 'bun:test'
import { queryFields } from '../../src/http/body.ts'
import { readImport, readList } from '../../src/imports/import.ts'
import { prng } from '../prng.ts'
import { processorMs, workRatio } from '../work.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
/** Half the largest form: reading again from each bracket still takes a hundred times as long, and there are many texts. */
const LENGTH = 128 * 1024
/**
 * How many times longer than a plain list any other text of the same length may take. Lists of short lines take five
 * times as long as one of addresses; reading again from each bracket took two hundred times as long at the largest form.
 */
const TIMES = 20

/** Pieces that are repeated, alone and in combination, to build texts that are slow to parse. */
const PIECES = [
  ...[
    '![](<',
    '[[[[',
    '((((',
    '](',
    '[x](',
    '[x](y "',
    '[a](b[a](',
    '(a)',
    ')(',
    '[a](b)(',
    'a.b/',
    'a.b - ',
    ': a.b',
    '|--|\n',
    'x:\n',
    '[](https://a',
    '[](a "',
    '[](<a b',
    '[a](<',
    '![',
    '][',
    '()',
  ],
  ...['<a href=', '<a href="', '<a href=x>', '<!--', '<![CDATA[', '<?', '<', '</', '<DL>', '<DD>x', '<H3>x</H3><DL>'],
  ...['<A TAGS="', '<p a=', '&amp;', '&amp', '&#', '&#x', '&#x202e;', '"', '""', '"""', '"a" b', '"a"\n', '"a",b\n'],
  ...['a,"b\n', '",', ';\t', 'x,y\n', 'url,', "'=", '     ', '\t', '\r', '\n', 'a\n', ' | ', 'a | ', 'https://a | b\n'],
  ...['- - ', '  - x\n', '1. ', '* [ ] ', '# ', '#', '# x\n', '\\', '\\[', 'a.', 'a-', 'é.', '1.2.', 'a:', 'a@', '::'],
  ...[
    '`',
    '``',
    '~~',
    '**',
    '_',
    '_a_ ',
    '\\a{',
    '{"',
    '":"',
    '=3D',
    '=\n',
    'a@b.',
    ': a: ',
    '&lt;',
    '[img]',
    '[url=',
    '[1]: https://a\n',
  ],
  ...[
    'https://a',
    'https://a.example/?a=https://x',
    'a,https://b',
    '<https://a.example/x\n',
    'https://a.example/-\n',
    'https://a[a',
  ],
  ...[
    '10:03 ',
    'Ben Ode ',
    '10:03 Ben: ',
    '> ',
    'a\n===\n',
    '== a\n',
    '* a\n',
    '<item>',
    '<folder>',
    '<outline text="a">',
    '<h2>a',
  ],
  ...['https://', 'https://a ', 'https://a.example/ ', 'HTTPS://[', 'www.', 'ü', '\u202e', '\u0085', '\0', '\ud800'],
]
const STARTS = ['', '<!DOCTYPE NETSCAPE-Bookmark-file-1>', 'url,note,tags,folder\n', '# x\n', 'https://a.', '"']

const full = (text: (at: number) => string) => {
  let made = ''
  for (let at = 0; made.length < LENGTH; at += 1) made += text(at)
  return made.slice(0, LENGTH)
}
const PLAIN = full((at) => `https://a.example/${at}\n`)

function* texts(): Generator<[name: string, text: string]> {
  for (const [at, piece] of PIECES.entries()) {
    yield [JSON.stringify(piece), full(() => piece)]
    const start = STARTS[at % STARTS.length] ?? ''
    yield [JSON.stringify([start, piece]), start + full(() => piece)]
  }
  const random = prng(seed)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  for (let round = 0; round < 20; round += 1) {
    const few = Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick(PIECES))
    const start = pick(STARTS)
    yield [`random ${round} of seed ${seed}: ${JSON.stringify([start, ...few])}`, start + full(() => pick(few))]
  }
}

test.each([
  ['one list', readList],
  ['an import', readImport],
] as const)(
  'no text takes much longer to parse as %s than a plain list of its length',
  async (_, read) => {
    read(PLAIN)
    const unit = Math.max(1, Math.min(await processorMs(() => read(PLAIN)), await processorMs(() => read(PLAIN))))
    for (const [name, text] of texts()) {
      let times = Number.POSITIVE_INFINITY
      // Measured again if slow: it may have been the garbage collector.
      for (let round = 0; round < 3 && times >= TIMES; round += 1) {
        times = Math.min(times, (await processorMs(() => read(text))) / unit)
      }
      expect({ name, isQuick: times < TIMES }).toEqual({ name, isQuick: true })
    }
  },
  120_000,
)

test('a query with many fields is parsed once, not once per field', async () => {
  const query = (count: number) => new URLSearchParams(Array.from({ length: count }, (_, at) => [`f${at}`, '']))
  const [short, long] = [query(2_000), query(32_000)]
  const times = await workRatio(
    () => queryFields(long),
    () => queryFields(short),
    100,
  )
  // Linear would be 16 times, quadratic 256.
  expect(times).toBeLessThan(100)
  expect(queryFields(new URLSearchParams('a=1&b=2&a=3&__proto__=x&a=4'))).toEqual(
    Object.fromEntries([
      ['a', ['1', '3', '4']],
      ['b', '2'],
      ['__proto__', 'x'],
    ]),
  )
})
