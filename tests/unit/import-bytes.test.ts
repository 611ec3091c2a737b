import { expect, test } from 'bun:test'
import { textIn } from '../../src/imports/bytes.ts'
import { readImport } from '../../src/imports/import.ts'

const TABLE = 'title;url\r\nGrüße;https://a.example/\r\n'
const latin = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const swapped = (text: string) => utf16(text).swap16()

test.each([
  ['UTF-8', Buffer.from(TABLE), false],
  ['UTF-8 with its mark', Buffer.from(`\uFEFF${TABLE}`), false],
  ['UTF-16 of Excel', utf16(`\uFEFF${TABLE}`), false],
  ['UTF-16 without its mark', utf16(TABLE), false],
  ['the other UTF-16', swapped(`\uFEFF${TABLE}`), false],
  ['the other without its mark', swapped(TABLE), false],
  ['windows-1252', latin(TABLE), true],
])('a table is read in the encoding that it was saved in: %s', (_, bytes, isGuess) => {
  const { text, isGuessed } = textIn(bytes)
  const [bundle] = readImport(text).bundles
  expect([bundle?.links.map(({ url, metadata }) => [url, metadata.note]), isGuessed]).toEqual([
    [['https://a.example/', 'Grüße']],
    isGuess,
  ])
})

test.each([
  ['a spreadsheet', 'PK\u0003\u0004\u0014 http://schemas.example/x', 'save a spreadsheet as CSV'],
  ['a PDF', '%PDF-1.7\nhttps://a.example/', 'This is a PDF'],
  ['rich text', '{\\rtf1\\ansi {HYPERLINK "https://a.example/"}}', 'save it as plain text'],
  [
    'a mail file',
    'From: Ann <ann@a.example>\nSubject: Launch\n of ours\nMIME-Version: 1.0\n\nhttps://a.example/',
    'This is a mail file',
  ],
  [
    'a mail file with long fields first',
    `Delivered-To: ada@a.example\r\nDKIM-Signature: v=1;\r\n b=${'x'.repeat(6000)}\r\nSubject: Launch\r\n\r\nhttps://a.example/`,
    'This is a mail file',
  ],
  [
    'a mailbox',
    'From ann@a.example Sat Nov 28\nMessage-ID: <1@a.example>\nSubject: Launch\n\nx',
    'This is a mail file',
  ],
  ['a message of Outlook', textIn(Buffer.from('d0cf11e0a1b11ae1', 'hex')).text, 'old spreadsheet'],
  ['the same as browsers read it', Buffer.from('d0cf11e0a1b11ae1', 'hex').toString('utf8'), 'old spreadsheet'],
  ['Firefox’s own backup', 'mozLz40\0\ufffd', 'export the bookmarks as HTML'],
  ['a database', 'SQLite format 3\0', 'export the bookmarks'],
  ['Safari’s bookmarks', 'bplist00\ufffd', 'export the bookmarks of Safari'],
  ['a picture', Buffer.from('89504e470d0a1a0a', 'hex').toString('utf8'), 'a picture or a compressed file'],
  ['a compressed file', textIn(Buffer.from('1f8b0800000000000003', 'hex')).text, 'a picture or a compressed file'],
])('a file without plain text is refused, and says how to save it: %s', (_, text, says) => {
  expect(() => readImport(text)).toThrow(says)
})

test('a mail that somebody pasted is read', () => {
  const pasted = 'From: Ann <ann@a.example>\nSubject: Launch\n\nThe plan: https://a.example/plan'
  expect(readImport(pasted).bundles[0]?.links.map(({ url }) => url)).toEqual(['https://a.example/plan'])
})
