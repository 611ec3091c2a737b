import { Problem } from '../core/problem.ts'

/** Encodings besides UTF-8, recognised by the first bytes or the positions of zeros. */
const ENCODINGS: readonly { encoding: string; isIts: (bytes: Uint8Array) => boolean }[] = [
  { encoding: 'utf-16le', isIts: (bytes) => (bytes[0] === 0xff && bytes[1] === 0xfe) || hasZeros(bytes, 1) },
  { encoding: 'utf-16be', isIts: (bytes) => (bytes[0] === 0xfe && bytes[1] === 0xff) || hasZeros(bytes, 0) },
]

/** Files without plain text, recognised by their first bytes, and how to save them as text. */
const OTHERS: readonly { start: RegExp; says: string }[] = [
  {
    start: /^PK[\x03\x05]/,
    says: 'This is a spreadsheet, a document or a ZIP file: save a spreadsheet as CSV, a document as plain text or HTML.',
  },
  // As bytes, and as browsers decode them.
  {
    start: /^(?:\xd0\xcf\x11\xe0|ÐÏ\x11à|\ufffd\ufffd\x11\u0871|\ufffd\ufffd\x11)/,
    says: 'This is an old spreadsheet, document or message of Office: save a spreadsheet as CSV, anything else as plain text or HTML.',
  },
  { start: /^%PDF-/, says: 'This is a PDF: copy its text, or save the document as plain text or HTML.' },
  { start: /^\{\\rtf/, says: 'This is rich text (RTF): save it as plain text or HTML.' },
  {
    start: /^mozLz40/,
    says: 'This is a compressed backup of Firefox: in its library, export the bookmarks as HTML or back them up as JSON.',
  },
  { start: /^SQLite format 3/, says: 'This is a database: export the bookmarks of the browser as HTML.' },
  { start: /^bplist00/, says: 'This is a binary file of macOS: export the bookmarks of Safari as HTML.' },
  {
    start:
      /^(?:\x1f[\x8b\ufffd‹]|7z[\xbc¼\ufffd]|Rar!|[\x89‰\ufffd]PNG|GIF8|\xff\xd8\xff|ÿØÿ|\ufffd{3,4}[^\n]{0,8}(?:JFIF|Exif))/,
    says: 'This is a picture or a compressed file: it holds no text.',
  },
]

/** Header fields that only the full source of a mail has. */
const MAIL_FIELDS =
  /^(?:mime-version|received|return-path|delivered-to|message-id|content-transfer-encoding|dkim-signature|x-[\w-]+):/im
/** A mail's header: fields on lines, each with continuation lines that begin with a space. */
const MAIL_HEAD = /^(?:From [^\n]*\n)?(?:[A-Za-z][\w-]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*){2,}/
const IS_MAIL = 'This is a mail file: open it in your mail program and copy its text, or save it as plain text or HTML.'

/** How many characters are read to recognise a file. */
const HEAD = 4096
/** How many characters are searched for a mail's header. */
const MAX_MAIL_HEAD = 64 * 1024

/**
 * The text of a file in any encoding: UTF-8, UTF-16 with or without its byte order mark, else windows-1252, as spreadsheets
 * on Windows write it.
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
 * Refuses a file without plain text, or such a file as decoded by a browser.
 * @throws Problem BAD_REQUEST, with how to save it.
 */
export function refuseOther(text: string): void {
  const head = text.slice(0, HEAD).trimStart()
  const other = OTHERS.find(({ start }) => start.test(head))
  if (other !== undefined) throw new Problem('BAD_REQUEST', other.says)
  const [fields = ''] = MAIL_HEAD.exec(text.slice(0, MAX_MAIL_HEAD).trimStart().replaceAll('\r\n', '\n')) ?? []
  if (MAIL_FIELDS.test(fields)) throw new Problem('BAD_REQUEST', IS_MAIL)
}

/** A soft line break, and an encoded character, in quoted-printable, the encoding of mails. */
const SOFT_BREAK = /=\r?\n/
const QUOTED_SIGN = /=(?:3D|20|C3=[89AB][0-9A-F]|E2=80=[89A-F][0-9A-F])/

/** Decodes a text that was copied from the source of a mail; returns any other text unchanged. */
export function asShown(text: string): string {
  if (!SOFT_BREAK.test(text) || !QUOTED_SIGN.test(text)) return text
  return text.replace(/=\r?\n/g, '').replace(/(?:=[0-9A-F]{2})+/g, (signs) => {
    const bytes = Uint8Array.from(signs.slice(1).split('='), (sign) => Number.parseInt(sign, 16))
    return textIn(bytes).text
  })
}

/** Whether all zeros at the beginning are at odd, or at even, positions and frequent, as for Latin letters in UTF-16. */
function hasZeros(bytes: Uint8Array, odd: 0 | 1): boolean {
  const head = bytes.subarray(0, 64)
  const zeros = head.filter((byte, at) => byte === 0 && at % 2 === odd).length
  return head.length >= 4 && zeros >= head.length / 3 && head.every((byte, at) => byte !== 0 || at % 2 === odd)
}
