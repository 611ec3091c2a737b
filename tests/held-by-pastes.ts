import { must, printPieces, send, sendAs } from './held-service.ts'

// Run by contract/held.test.ts on each runtime, in its own process: prints for texts of the largest size that a form takes the
// longest piece of work on the event loop’s thread, in ms of processor time, of each form that reads texts.

const LENGTH = 190 * 1024

function full(piece: (at: number) => string, start = ''): string {
  let text = start
  for (let at = 0; text.length < LENGTH; at += 1) text += piece(at)
  return text.slice(0, LENGTH)
}

const TEXTS = {
  lines: full((at) => `https://a.example/${at}\n`),
  'one line': full((at) => `https://a.example/${at} `),
  'lines without a link': full((at) => `line ${at}\n`),
  'nested JSON': '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2),
  'JSON of links': `${full((at) => `{"url":"https://a.example/${at}","title":"x"},`, '[').replace(/,[^,]*,[^,]*$/, '')}]`,
  'aliases in YAML': full((at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(at === 0 ? 0 : 9)}x]\n`),
  'YAML of links': full((at) => `- title: x\n  url: https://a.example/${at}\n`),
  tags: full(() => '<b>', '<p>'),
  anchors: full((at) => `<a href=https://a.example/${at}>x</a>`, '<p>'),
  brackets: full(() => '['),
  'addresses in wrappings': full(
    (at) =>
      `https://www.google.com/url?q=${encodeURIComponent(`https://slack-redir.net/link?url=https%3A%2F%2Fa.example%2F${at}`)}\n`,
  ),
  'broken addresses': full((at) => `<https://a.example/${at}\n`),
  'one cell': full(() => 'x', 'url,title\nhttps://a.example/,"'),
  'a quoted mail': full((at) => `> > > On Monday Ann wrote: https://a.example/${at}\n`),
  folders: full(
    (at) => `<H3>f${at}</H3><DL><A HREF="https://a.example/${at}">x</A></DL>`,
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>',
  ),
}

const FORM = { 'accept-encoding': 'identity', 'content-type': 'application/x-www-form-urlencoded' }
const MULTIPART = { 'accept-encoding': 'identity', 'content-type': 'multipart/form-data; boundary=x' }
const encoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const parts = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--x--\r\n`

// Of each person and address no more than one may read in a minute.
const requests = Object.entries(TEXTS).flatMap(([name, text]): [string, () => Promise<Response>][] => [
  [`the list of ${name}`, () => send('POST', '/found', parts({ urls: text, listed: '1' }), MULTIPART)],
  [`a new bundle of ${name}`, () => sendAs('POST', '/dashboard/links/new', parts({ urls: text }), MULTIPART)],
  [`an import of ${name}`, () => sendAs('POST', '/dashboard/links/import', parts({ text }), MULTIPART)],
])
/** Files of the largest size, whose text a form cannot hold. */
const MIB = 1024 * 1024
const whole = (piece: (at: number) => string, start = '') => {
  const count = (5 * MIB - start.length) / Buffer.byteLength(piece(100_000))
  return start + Array.from({ length: Math.floor(count) }, (_, at) => piece(at)).join('')
}
const icon = 'iVBORw0KGgo'.repeat(150)
const FILES = {
  bookmarks: whole(
    (at) => `<DT><A HREF="https://a.example/${at}" ICON="data:image/png;base64,${icon}">Page ${at}</A>\n`,
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>',
  ),
  lines: whole((at) => `https://a.example/${at}\n`),
  tags: whole(() => '<b>', '<p>'),
  brackets: whole(() => '['),
  'scripts that do not end': whole(() => '<script ', '<p>'),
  'JSON of links': `${whole((at) => `{"url":"https://a.example/${at}","title":"x"},`, '[').replace(/,[^,]*,[^,]*$/, '')}]`,
}
const file = (bytes: Uint8Array) =>
  Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/html\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--x--\r\n'),
  ])
const files = Object.entries({
  ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [name, Buffer.from(text)])),
  'windows-1252': Buffer.from(
    whole((at) => `é https://a.example/${at}\n`),
    'latin1',
  ),
}).map(([name, bytes]): [string, () => Promise<Response>] => [
  `a file of ${name}`,
  () => sendAs('POST', '/dashboard/links/import', file(bytes), MULTIPART),
])
const longest = Array.from({ length: 9000 }, (_, at) => `https://a.example/some/long/path/and/more/of/it/${at}\n`)
  .join('')
  .slice(0, 511 * 1024)

/** As many hosts as a bundle may have, again and again: encoded, it is as long as a form may be. */
const hosts = full((at) => `a${at % 25}.example\n`).replace(/[^\n]*$/, '')
/** Each comes by its own connection, and so in its own round of the loop. */
async function twenty(): Promise<Response> {
  const sent: Promise<Response>[] = []
  for (let at = 0; at < 20; at += 1) {
    sent.push(send('POST', '/', encoded({ urls: hosts }), FORM))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const answers = await Promise.all(sent)
  return answers.find(({ status }) => status !== 400 && status !== 200) ?? answers[0]!
}

await must('/api/links', { slug: 'one', urls: ['https://one.example/'] })
await printPieces(
  {
    ...Object.fromEntries([...requests, ...files]),
    'the longest text of an import': () =>
      sendAs('POST', '/dashboard/links/import', parts({ text: longest }), MULTIPART),
    'twenty at once': twenty,
  },
  (status) => status === 200 || status === 400,
)
