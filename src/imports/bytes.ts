import { Problem } from '../core/problem.ts'

/** How a text may be encoded, besides UTF-8: what its first bytes are, or where its zeros lie. */
const ENCODINGS: readonly { encoding: string; isIts: (bytes: Uint8Array) => boolean }[] = [
  { encoding: 'utf-16le', isIts: (bytes) => (bytes[0] === 0xff && bytes[1] === 0xfe) || hasZeros(bytes, 1) },
  { encoding: 'utf-16be', isIts: (bytes) => (bytes[0] === 0xfe && bytes[1] === 0xff) || hasZeros(bytes, 0) },
]

/** Files that hold no plain text, by what they begin with, and how to save them as one that does. */
const OTHERS: readonly { start: RegExp; says: string }[] = [
  {
    start: /^PK[\x03\x05]/,
    says: 'This is a spreadsheet, a document or a ZIP file: save a spreadsheet as CSV, a document as plain text or HTML.',
  },
  { start: /^%PDF-/, says: 'This is a PDF: copy its text, or save the document as plain text or HTML.' },
  { start: /^\{\\rtf/, says: 'This is rich text (RTF): save it as plain text or HTML.' },
  {
    start: /^(?:[A-Za-z-]{2,40}:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n){0,60}?MIME-Version: 1/i,
    says: 'This is a mail file: open it in your mail program and copy its text, or save it as plain text or HTML.',
  },
]

/** Enough to tell what a file is. */
const HEAD = 4096

/**
 * The text of a file, whatever its encoding: UTF-8, UTF-16 with or without its mark, else windows-1252, as spreadsheets on
 * Windows write it.
 * @returns the text, and whether its encoding is a guess.
 */
export function textIn(bytes: Uint8Array): { text: string; isGuessed: boolean } {
  const encoding = ENCODINGS.find(({ isIts }) => isIts(bytes))?.encoding
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), isGuessed: false }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isGuessed: false }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isGuessed: true }
  }
}

/**
 * Refuses a file that holds no plain text, or the text that a browser made of one.
 * @throws Problem BAD_REQUEST, with how to save it.
 */
export function refuseOther(text: string): void {
  const head = text.slice(0, HEAD).trimStart()
  const other = OTHERS.find(({ start }) => start.test(head))
  if (other !== undefined) throw new Problem('BAD_REQUEST', other.says)
}

/** Whether every other byte at the beginning is zero, as in Latin letters of UTF-16, at even places or at odd ones. */
function hasZeros(bytes: Uint8Array, odd: 0 | 1): boolean {
  const head = bytes.subarray(0, 64)
  const zeros = head.filter((byte, at) => byte === 0 && at % 2 === odd).length
  return head.length >= 4 && zeros >= head.length / 3 && head.every((byte, at) => byte !== 0 || at % 2 === odd)
}
