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
  [
    `a new bundle of ${name}`,
    () => sendAs('POST', '/dashboard/links/new', parts({ more: text, do: 'paste' }), MULTIPART),
  ],
  [`an import of ${name}`, () => sendAs('POST', '/dashboard/links/import', parts({ text }), MULTIPART)],
])
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
  { ...Object.fromEntries(requests), 'twenty at once': twenty },
  (status) => status === 200 || status === 400,
)
