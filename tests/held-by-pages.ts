import process from 'node:process'
import { pageOf } from '../src/inspection/page.ts'
import { longestPiece } from './longest-piece.ts'

// Run by contract/held.test.ts on each runtime, in its own process: looks at as many pages together as a call may ask for, and
// prints for each kind the longest piece of work on the event loop’s thread, in ms of processor time.

const BYTES = 256 * 1024
const filled = (text: string, bytes = BYTES) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)
const PAGES: Record<string, Buffer> = {
  'half of a tag again and again': Buffer.from(filled('<meta', 1_024)),
  'text alone': Buffer.from(filled('plain words of a page ')),
  'an attribute after another': Buffer.from(`<meta ${filled('a=b ')}`),
  'entities in a title': Buffer.from(`<title>${filled('&amp;&bogus')}`),
  'a comment without an end': Buffer.from(`<!--${filled('-- <')}`),
  'tags without an end': Buffer.from(filled('<title><svg></')),
  'two bytes for each letter': Buffer.from(`\ufeff<title>${filled('\0 ', BYTES / 2)}`, 'utf16le'),
}
const head = { url: new URL('https://page.example/'), status: 200, headers: { 'content-type': 'text/html' } }
const together = (body: Buffer) => Promise.all(Array.from({ length: 25 }, () => pageOf({ ...head, body })))
const pieces: Record<string, number> = {}
for (const [name, body] of Object.entries(PAGES)) {
  // What is not compiled yet is no page’s fault.
  await together(body)
  pieces[name] = await longestPiece(() => together(body))
}
console.log(JSON.stringify(pieces))
process.exit(0)
