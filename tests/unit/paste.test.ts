import { expect, test } from 'bun:test'
import { readPasted } from '../../src/imports/paste.ts'

/** A pasted text, and the `url` or `[url, note]` that it holds. */
const CASES: [string, (string | [string, string])[]][] = [
  ['', []],
  [' \n\t\r\n', []],
  ['https://a.example/', ['https://a.example/']],
  [
    'https://a.example\nhttps://b.example\r\nhttps://c.example\rhttps://d.example',
    ['a', 'b', 'c', 'd'].map((n) => `https://${n}.example`),
  ],
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
  ['![Picture](https://a.example/x.png)', [['https://a.example/x.png', 'Picture']]],
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
  ['See https://a.example/x.', [['https://a.example/x', 'See']]],
  ['(https://a.example/x)', ['https://a.example/x']],
  ['https://a.example/x_(y)', ['https://a.example/x_(y)']],
  ['https://a.example https://b.example', ['https://a.example', 'https://b.example']],
  ['HTTPS://A.example', ['HTTPS://A.example']],
  ['not a link', ['not a link']],
  ['javascript:alert(1)', ['javascript:alert(1)']],
  ['ftp://a.example', ['ftp://a.example']],
  ['file.', ['file.']],
]

test('what people paste is read as the links and titles in it', () => {
  const read = CASES.map(([text]) => {
    const { urls, urlMetadata } = readPasted(text)
    return [
      text,
      urls.map((url, index) => (urlMetadata[index]?.note === undefined ? url : [url, urlMetadata[index].note])),
    ]
  })
  expect(read).toEqual(CASES)
})

test('each link knows the line it was typed on; empty lines are left out', () => {
  const { lines, urls, lineOf } = readPasted('\n a.example\n\n[B](https://b.example) [C](https://c.example)\nnothing\n')
  expect(lines).toEqual([' a.example', '[B](https://b.example) [C](https://c.example)', 'nothing'])
  expect(urls.map((url, index) => [url, lines[lineOf[index]!]])).toEqual([
    ['https://a.example', ' a.example'],
    ['https://b.example', lines[1]],
    ['https://c.example', lines[1]],
    ['nothing', 'nothing'],
  ])
})
