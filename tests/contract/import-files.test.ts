import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fieldsOf } from '../form.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { unescaped } from './html.ts'

// Files of the import page, as a form without a script sends them.

setDefaultTimeout(180_000)

const PATH = '/dashboard/links/import'

let server: Server
let person: Person
beforeAll(async () => {
  server = await startInProcess()
  person = await newPerson(server)
})
afterAll(() => server?.stop())

async function send(fields: readonly [string, string | File][]) {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  const answer = await person.fetch(PATH, { method: 'POST', body })
  return { status: answer.status, html: unescaped(await answer.text()) }
}

const fileOf = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name)
const preview = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
  send([
    ['text', ''],
    ['file', fileOf(name, content)],
    ['do', 'read'],
  ])

/** Sends the previewed form as it is, by its button. */
const make = (html: string) => send([...fieldsOf(html, 'import'), ['do', 'make']])

const latin1 = (text: string) => Uint8Array.from(text, (letter) => (letter === '–' ? 0x96 : letter.charCodeAt(0)))
const utf16 = (text: string, isBig: boolean, mark = '') => {
  const bytes = new Uint8Array([...(mark + text)].length * 2)
  const view = new DataView(bytes.buffer)
  for (const [at, letter] of [...(mark + text)].entries()) view.setUint16(at * 2, letter.charCodeAt(0), !isBig)
  return bytes
}

const CSV = 'url;title\r\nhttps://a.example/x;Grüße\r\nhttps://b.example/y;Café – Menü\r\n'

test.each([
  ['Windows-1252', latin1(CSV), true],
  ['UTF-16 with its mark', utf16(CSV, false, '\uFEFF'), false],
  ['UTF-16 without it', utf16(CSV.replace('–', '-'), false), false],
  ['UTF-16, the other way round', utf16(CSV, true, '\uFEFF'), false],
  ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${CSV}`), false],
])('a file is read in its encoding, and a guess is said: %s', async (_, bytes, isSaid) => {
  const { status, html } = await preview('plan.csv', bytes)
  expect(status).toBe(200)
  expect(html).toContain('1 bundle with 2 links')
  expect(html).toContain('<b dir="auto">Grüße </b>')
  expect(html).toMatch(/Café [–-] Menü/)
  expect(html.includes('From plan.csv, read as Windows-1252 (Western European).')).toBe(isSaid)
})

test.each([
  ['plan.xlsx', 'PK\x03\x04 xl/workbook.xml http://schemas.example/', 'save a spreadsheet as CSV'],
  ['plan.pdf', '%PDF-1.7 https://a.example/', 'This is a PDF'],
  ['plan.rtf', '{\\rtf1\\ansi https://a.example/', 'save it as plain text or HTML'],
  ['plan.eml', 'From: ada@a.example\r\nMIME-Version: 1.0\r\n\r\nhttps://a.example/', 'This is a mail file'],
  ['empty.csv', '', 'empty.csv is empty.'],
])('a file without text is refused with how to save it: %s', async (name, content, says) => {
  const { status, html } = await preview(name, content)
  expect([status, html.includes(says)]).toEqual([400, true])
})

const PAGE = `<!doctype html><title>Acme</title><link rel="stylesheet" href="https://cdn.example/a.css">
<script src="https://cdn.example/a.js">const u = "https://js.example/"; document.write('<a href="https://doc.example/">w</a>')</script>
<style>@import "https://cdn.example/b.css"</style><!-- <a href="https://comment.example/">no</a> -->
<nav><a href="/here">Home</a> <a href="https://acme.example/"><img src="https://img.example/l.png" alt="Acme"></a></nav>
<h1>Launch</h1><p>Site: https://c.example/z and <a href="https://a.example/plan?a=1&amp;b=2">the\n <b>plan</b></a>.</p>
<h2>Boards &amp; more</h2><ul><li><a href="https://b.example/"><img src="x" alt="icon"></a> <a href="https://b.example/">Board</a>
<li><a href="https://f.example/">The</a><a href="https://f.example/"><b> plan</b></a></ul>
<a href="https://d.example/"><h3>Deploys</h3><div>of everything</div></a>
<pre>https://g.example/ one\nhttps://h.example/ two</pre>`

test('of a saved page, links have their words, headings are sections, and what the page is made of is no link', async () => {
  const { html } = await preview('page.html', PAGE)
  const rows = [...html.matchAll(/name="link"[\s\S]*?<\/label>/g)].map(([row]) => {
    return [/<b [^>]*>([^<]*) <\/b>/.exec(row)?.[1], /<bdi [^>]*>([^<]*)</.exec(row)?.[1]]
  })
  expect(rows).toEqual([
    ['Acme', 'acme.example'],
    [undefined, 'c.example/z'],
    ['the plan', 'a.example/plan?a=1&b=2'],
    ['Board', 'b.example'],
    ['The plan', 'f.example'],
    ['Deploys', 'd.example'],
    [undefined, 'g.example'],
    [undefined, 'h.example'],
  ])
  const titles = [...html.matchAll(/id="title-\d+" name="title-\d+" value="([^"]*)"/g)].map(([, title]) => title)
  expect(titles).toEqual(['', 'Launch', 'Boards & more'])
})

const ICON = `data:image/png;base64,${'iVBORw0KGgo'.repeat(900)}`

describe('400 links in 30 folders', () => {
  const folders = Array.from({ length: 30 }, (_, at) => at)
  const links = (folder: number) => Array.from({ length: folder < 10 ? 14 : 13 }, (_, at) => `${folder}-${at}`)
  const large = `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n${folders
    .map(
      (folder) =>
        `<DT><H3>Folder ${folder}</H3>\n<DL><p>\n${links(folder)
          .map(
            (at) =>
              `<DT><A HREF="https://a.example/${at}" ICON="${ICON}" SHORTCUTURL="k" TAGS="dev">Page & ${at} é</A>\n`,
          )
          .join('')}</DL><p>\n`,
    )
    .join('')}</DL>`
  const oneTab = folders.map((folder) =>
    links(folder)
      .map((at) => `https://a.example/${at} | Page ${at}`)
      .join('\n'),
  )
  test.each([
    ['bookmarks of four megabytes', large, 'bookmarks'],
    ['OneTab', oneTab.join('\n\n'), 'a OneTab export'],
  ])('%s become bundles in one go', async (name, content, format) => {
    person = await newPerson(server)
    const shown = await preview(`${name}.html`, content)
    expect(shown.html).toContain(`Read as ${format}: 30 bundles with 400 links.`)
    const made = await make(shown.html)
    expect(made.html).toContain('30 bundles created')
    const { body } = await person.api<{ bundles: { urls: string[]; urlMetadata: object[] }[] }>(
      'GET',
      '/api/me/links?limit=100',
    )
    expect(body.bundles.length).toBe(30)
    expect(body.bundles.flatMap(({ urls }) => urls).length).toBe(400)
  })
})

test('a file whose text is too long to be sent again is made of what was read of it', async () => {
  const row = (at: number) => ({
    title: `Page ${at}`,
    url: `https://a.example/${at}`,
    tags: ['dev'],
    favicon: `data:image/png;base64,${'x'.repeat(2000)}`,
  })
  const json = JSON.stringify([
    { title: 'Work', items: Array.from({ length: 40 }, (_, at) => row(at)) },
    { padding: 'y'.repeat(600_000) },
  ])
  const shown = await preview('export.json', json)
  expect(shown.html).toContain('2 bundles with 40 links')
  expect(shown.html.length).toBeLessThan(200_000)
  expect((await make(shown.html)).html).toContain('2 bundles created')
  const { body } = await person.api<{ bundles: { title: string; urlMetadata: object[] }[] }>(
    'GET',
    '/api/me/links?limit=2',
  )
  expect(body.bundles.map(({ title }) => title).sort()).toEqual(['Work (1 of 2)', 'Work (2 of 2)'])
  expect(body.bundles[0]?.urlMetadata[0]).toMatchObject({ tags: ['dev'] })
})

test('a file takes the place of a text, and a form without one is read as before', async () => {
  const both = await send([
    ['text', 'https://typed.example/'],
    ['file', fileOf('a.txt', 'https://file.example/')],
    ['do', 'make'],
  ])
  expect([both.html.includes('file.example'), both.html.includes('typed.example')]).toEqual([true, false])
  const none = await send([
    ['text', 'https://typed.example/'],
    ['file', fileOf('', '')],
    ['do', 'read'],
  ])
  expect(none.html).toContain('1 bundle with 1 link.')
})

test('what is larger than a file may be, or incomplete, is refused', async () => {
  const large = await preview('large.txt', 'x'.repeat(5 * 1024 * 1024 + 1))
  expect([large.status, large.html.includes('This file is larger than 5 MiB.')]).toEqual([413, true])
  const streamed = await preview('larger.txt', 'x'.repeat(7 * 1024 * 1024))
  expect([streamed.status, streamed.html.includes('This file is larger than 5 MiB.')]).toEqual([413, true])
  const cut = await person.fetch(PATH, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhttps://a.example/',
  })
  expect(cut.status).toBe(400)
  const many = new FormData()
  for (let at = 0; at < 10_001; at += 1) many.append('link', '1')
  expect((await person.fetch(PATH, { method: 'POST', body: many })).status).toBe(400)
})
