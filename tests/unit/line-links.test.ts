import { expect, test } from 'bun:test'
import { readList } from '../../src/imports/import.ts'
import { linksIn } from '../../src/imports/line-links.ts'
import { PASTES } from './pastes.ts'

/** A line, and the `url` or `[url, note]` that it contains. */
const CASES: [string, (string | [string, string])[]][] = [
  ['', []],
  [' \t', []],
  ['https://a.example/', ['https://a.example/']],
  ['a.example', ['https://a.example']],
  ['a.example:8080/x?y#z', ['https://a.example:8080/x?y#z']],
  ['müller.example', ['https://müller.example']],
  ['- https://a.example', ['https://a.example']],
  ['  * https://a.example', ['https://a.example']],
  ['• a.example', ['https://a.example']],
  ['12. https://a.example', ['https://a.example']],
  ['3) https://a.example', ['https://a.example']],
  ['- [ ] https://a.example', ['https://a.example']],
  ['- [x] https://a.example', ['https://a.example']],
  ['Title | https://a.example', [['https://a.example', 'Title']]],
  ['https://a.example | One | Tab', [['https://a.example', 'One | Tab']]],
  ['Title | a.example', [['https://a.example', 'Title']]],
  ['Title: https://a.example', [['https://a.example', 'Title']]],
  ['https://a.example – what it is', [['https://a.example', 'what it is']]],
  ['[Title](https://a.example)', [['https://a.example', 'Title']]],
  ['[Title](<https://a.example> "hover")', [['https://a.example', 'Title']]],
  ['![Picture](https://a.example/x.png)', []],
  ['[https://a.example](https://a.example)', ['https://a.example']],
  [
    '[A](https://a.example), [B](https://b.example)',
    [
      ['https://a.example', 'A'],
      ['https://b.example', 'B'],
    ],
  ],
  ['<https://a.example>', ['https://a.example']],
  ['"https://a.example"', ['https://a.example']],
  ['See https://a.example/x.', ['https://a.example/x']],
  ['(https://a.example/x)', ['https://a.example/x']],
  ['https://a.example/x_(y)', ['https://a.example/x_(y)']],
  ['https://a.example https://b.example', ['https://a.example', 'https://b.example']],
  ['HTTPS://A.example', ['HTTPS://A.example']],
  ['HTTPS://A.example, (http://b.example).', ['HTTPS://A.example', 'http://b.example']],
  ['(https://en.wikipedia.example/wiki/Foo_(bar)).', ['https://en.wikipedia.example/wiki/Foo_(bar)']],
  ['[Foo](https://a.example/Foo_(bar)).', [['https://a.example/Foo_(bar)', 'Foo']]],
  ['[Foo](https://a.example/Foo_(bar', [['https://a.example/Foo_(bar', '[Foo]']]],
  ['[A](https://a.example) and https://b.example!', [['https://a.example', 'A'], 'https://b.example']],
  ['**https://a.example/x**', ['https://a.example/x']],
  ['“https://a.example/x”。', ['https://a.example/x']],
  [
    'https://a.example https://b.example, https://c.example;https://d.example',
    ['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'],
  ],
  ['a.example, b.example c.example', ['https://a.example', 'https://b.example', 'https://c.example']],
  ['Docs: a.example', [['https://a.example', 'Docs']]],
  ['a.example - our board', [['https://a.example', 'our board']]],
  ['See www.a.example.', ['https://www.a.example']],
  ['Notes are at a.example/notes, not here', [['https://a.example/notes', 'Notes']]],
  ['| Docs | https://a.example |', [['https://a.example', 'Docs']]],
  ['\u202bhttps://a.example/\u202c', ['https://a.example/']],
  ['\u200ea.example\u200e', ['https://a.example']],
  ['We like Node.js and e.g. tea', []],
  ['Ann <ann@a.example>', []],
  ['not a link', []],
  ['javascript:alert(1)', []],
  ['ftp://a.example', []],
  ['file.', []],
]

test('the links and titles in a line are found, and nothing else', () => {
  const read = CASES.map(([text]) => [text, linksIn(text).map(({ url, note }) => (note === '' ? url : [url, note]))])
  expect(read).toEqual(CASES)
})

/** The resulting list: its title, its links by host, and the skipped lines. */
function shortOf(text: string) {
  const { title, links, skipped, counts } = readList(text)
  return [title, links.map(({ url }) => new URL(url).host), skipped.map(({ line }) => line), counts.duplicates]
}

test.each([
  [
    'one a line, however lines end',
    'https://a.example\nb.example\r\n\rhttps://c.example',
    [null, ['a', 'b', 'c'], [], 0],
  ],
  [
    'what announces a list is its title',
    'Reading for Monday:\n\nhttps://a.example\nLater:\nb.example',
    ['Reading for Monday', ['a', 'b'], [], 0],
  ],
  ['so is a heading', '# Week 1\n- https://a.example', ['Week 1', ['a'], [], 0]],
  [
    'and the one above all others',
    '# Offsite\n## Travel\na.example\n## Food\nb.example',
    ['Offsite', ['a', 'b'], [], 0],
  ],
  ['of several none', '# Travel\na.example\n# Food\nb.example', [null, ['a', 'b'], [], 0]],
  [
    'a table of Markdown',
    '| Name | Link |\n| --- | :-: |\n| Docs | https://a.example |\n| Board | b.example |',
    [null, ['a', 'b'], [], 0],
  ],
  [
    'a table of a spreadsheet',
    'Name\tLink\nDocs\thttps://a.example\nBoard\thttps://b.example',
    [null, ['a', 'b'], [], 0],
  ],
  ['a bookmarks file', '<DL><DT><A HREF="https://a.example/">A</A></DL>', [null, ['a'], [], 0]],
  [
    'four on a line, one twice',
    'https://a.example https://b.example\nhttps://c.example https://a.example/',
    [null, ['a', 'b', 'c'], [2], 1],
  ],
  ['prose round it', 'Hi all,\nsee https://a.example.\nThanks!', [null, ['a'], [1, 3], 0]],
  ['no link at all', 'Hi all', [null, [], [1], 0]],
] as const)('a text is read as one list: %s', (_, text, [title, hosts, skipped, duplicates]) => {
  expect(shortOf(text)).toEqual([title, hosts.map((name) => `${name}.example`), [...skipped], duplicates])
})

test.each(PASTES)('what is pasted gets the titles a person would give: %s', (_, text, title, links) => {
  const list = readList(text)
  expect([list.title, list.links.map(({ url, metadata: { note = '' } }) => [url, note])]).toEqual([title, links])
})
