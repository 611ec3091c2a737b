import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Parser } from 'htmlparser2'
import Papa from 'papaparse'
import { scriptFor } from '../../views/dashboard/import/view.tsx'
import { startInProcess } from '../in-process.ts'
import { Visitor } from '../people.ts'
import type { Server } from '../server.ts'
import { WITHOUT_LIMITS } from './callers.ts'
import { type Furnished, furnish, PLACES } from './furnished.ts'
import { type FoundRoute, fill, routesOf } from './routes.ts'

// Only on Bun: escaping happens in the views, which are the same code on both runtimes.

/** Texts that break out if one kind of escaping is missing. Elements and attributes that they add are called `pwn`. */
const PAYLOADS = [
  '<pwn onclick=pwn()>',
  `" pwn onfocus="pwn()`,
  `' pwn onload='pwn()`,
  '</script><pwn>',
  '--></title></textarea>]]><pwn>',
  '&lt;pwn&gt;%3Cpwn%3E\\u003cpwn\\u003e',
  'javascript:pwn()',
  '=pwn+1',
]

/** A text for each place: short enough for a tag, and unique. */
const textAt = (payload: string, place: string) => `${payload}${PLACES.indexOf(place as (typeof PLACES)[number])}z`

/** Query fields that pages read, and some that none does. */
const FIELDS = [
  'q',
  'next',
  'error',
  'from',
  'to',
  'range',
  'version',
  'before',
  'offset',
  'sort',
  'who',
  'done',
  'ref',
]

interface Control {
  name: string
  value: string
  isTyped: boolean
}
interface Form {
  action: string
  controls: Control[]
}

/** The contents of a page as a browser sees them. */
interface Read {
  /** Elements, attributes and addresses that none of our pages has. */
  foreign: string[]
  /** Every text and every attribute value. */
  texts: string[]
  forms: Form[]
}

const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'poster', 'data', 'xlink:href', 'hx-get', 'hx-post'])
const TYPED = new Set(['text', 'email', 'search', 'url', 'password', 'datetime-local', 'time', 'date', 'number'])

function readPage(html: string): Read {
  const read: Read = { foreign: [], texts: [], forms: [] }
  let script: string | null = null
  let typing: Control | null = null
  const parser = new Parser({
    onopentag(tag, attributes) {
      const { name = '', value = '', type = 'text' } = attributes
      if (/pwn|^(iframe|object|embed|base|frame|applet|style)$/.test(tag)) read.foreign.push(`<${tag}>`)
      for (const [attribute, text] of Object.entries(attributes)) {
        read.texts.push(text)
        if (/^on|pwn|^(srcdoc|style|ping)$/.test(attribute)) read.foreign.push(`${tag} ${attribute}="${text}"`)
        if (ADDRESSES.has(attribute) && !/^(https?:\/\/|\/(?!\/)|#|\?|$)/.test(text))
          read.foreign.push(`${tag} ${attribute}="${text}"`)
      }
      if (tag === 'meta' && !/^(content-type)?$/i.test(attributes['http-equiv'] ?? ''))
        read.foreign.push('meta http-equiv')
      if (tag === 'script') {
        if (attributes.src === undefined && !/json$/.test(type)) read.foreign.push('a script of the page')
        script = ''
      }
      if (tag === 'form' && attributes.method === 'post')
        read.forms.push({ action: attributes.action ?? '', controls: [] })
      const controls = read.forms.at(-1)?.controls
      if (tag === 'input' && name !== '') controls?.push({ name, value, isTyped: TYPED.has(type) })
      if (tag === 'textarea' && name !== '') controls?.push((typing = { name, value: '', isTyped: true }))
    },
    ontext(text) {
      read.texts.push(text)
      if (script !== null) script += text
      if (typing !== null) typing.value += text
    },
    onclosetag(tag) {
      if (tag === 'textarea') typing = null
      if (tag !== 'script' || script === null) return
      if (script !== '') JSON.parse(script)
      script = null
    },
  })
  parser.end(html)
  // Text arrives in chunks, one per entity.
  read.texts.push(read.texts.join(''))
  return read
}

let server: Server
let routes: FoundRoute[]
/** The launcher that the home page shows, as the scanner sees it: nobody’s text is in it. */
let demo: readonly string[] = []
beforeAll(async () => {
  server = await startInProcess(WITHOUT_LIMITS)
  routes = (await routesOf(server)).filter(({ method }) => method === 'GET')
  const home = readPage(await (await new Visitor(server).fetch('/')).text())
  demo = home.foreign.filter((what) => /^(<iframe>|iframe srcdoc=)/.test(what))
  expect(demo.map((what) => what.slice(0, 14))).toEqual(['<iframe>', 'iframe srcdoc='])
})
afterAll(async () => {
  await server?.stop()
})

/** What is wrong with any answer, and its contents if it is a page. */
async function readAnswer(response: Response): Promise<Read> {
  const { headers } = response
  const text = await response.text()
  const disposition = headers.get('content-disposition')
  const foreign: string[] = []
  if (disposition !== null && !/^attachment; filename="[\w.-]+"$/.test(disposition)) foreign.push(disposition)
  if (headers.get('x-content-type-options') !== 'nosniff') foreign.push('no nosniff')
  if (!headers.get('content-type')?.startsWith('text/html')) return { foreign, texts: [text], forms: [] }
  const policy = headers.get('content-security-policy') ?? ''
  if (!/default-src 'none'/.test(policy) || /unsafe-|\*|data:(?!.*img)/.test(policy)) foreign.push(policy)
  const read = readPage(text)
  // The one address that is a script has nothing in it but the service’s own.
  const own = [`a href="${scriptFor(server.origin)}"`, ...demo]
  const found = read.foreign.filter((what) => !own.includes(what))
  return { ...read, foreign: [...foreign, ...found] }
}

test('the page scanner finds injected markup', () => {
  const foreign = PAYLOADS.map((payload) => readPage(`<p title="${payload}">${payload}</p>`).foreign.length > 0)
  expect(foreign.filter(Boolean).length).toBeGreaterThan(3)
  expect(readPage('<a href="javascript:pwn()">x</a>').foreign).toEqual(['a href="javascript:pwn()"'])
})

describe.each(PAYLOADS)('%s', (payload) => {
  let world: Furnished
  beforeAll(async () => {
    world = await furnish(server, (place) => textAt(payload, place))
  })

  test('is data in a table, and runs nothing in a spreadsheet', async () => {
    const csv = await (await world.person.fetch(`/dashboard/links/${world.slug}/export.csv`)).text()
    const cells = Papa.parse<string[]>(csv.replace(/^\ufeff/, '')).data.flat()
    expect(cells.some((cell) => cell.includes(payload))).toBeTrue()
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  })

  test('is text on every page, in every file and in every returned form', async () => {
    const foreign: unknown[] = []
    const seen: string[] = []
    const look = async (where: string, answer: Promise<Response>) => {
      const response = await answer
      const read = await readAnswer(response)
      if (read.foreign.length > 0) foreign.push([where, read.foreign])
      if (response.status >= 500) foreign.push([where, response.status])
      seen.push(...read.texts)
      return read
    }
    const stranger = new Visitor(server)
    const forms = new Map<string, Form>()
    const odd = encodeURIComponent(payload)
    const query = FIELDS.map((name) => `${name}=${odd}`).join('&')
    for (const { template } of routes) {
      const path = fill(template, world.values)
      if (template.startsWith('/api/auth/')) continue
      const headers = { referer: `${server.origin}/?${payload.replace(/[^\x20-\x7e]/g, '')}` }
      const found = await look(path, world.person.fetch(path, { headers }))
      for (const form of found.forms) forms.set(`${form.action} ${form.controls.map(({ name }) => name)}`, form)
      await look(`${path}?…`, world.person.fetch(`${path}?${query}`))
      for (const name of /^\/api\/|:/.test(template) ? [] : FIELDS.slice(0, 6))
        await look(`${path}?${name}=`, world.person.fetch(`${path}?${name}=${odd}`))
      await look(`stranger ${path}`, stranger.fetch(`${path}?next=${odd}`))
    }
    await look('nothing', stranger.fetch(`/${odd}`))
    await look('no bundle', stranger.fetch(`/l/${odd}`))
    await look('a version', world.person.fetch(`/dashboard/links/${world.slug}/versions?from=1&to=3`))
    await look('a rule', world.person.fetch(`/l/${world.slug}?who=${odd}${PLACES.indexOf('value')}z`))
    await look('a search', world.person.fetch(`/dashboard?q=${odd}`))
    const left = 'https://left.example/'
    const listed = {
      urls: `${payload} https://listed.example/?${odd}\n${left}`,
      url: left,
      note: payload,
      removed: left,
    }
    await look('a list', stranger.form('/', listed))
    await look('deleted', world.person.fetch('/dashboard?state=deleted'))

    for (const { action, controls } of forms.values()) {
      if (!controls.some(({ isTyped }) => isTyped) || /^https?:/.test(action)) continue
      const fields = Object.fromEntries(controls.map(({ name, value, isTyped }) => [name, isTyped ? payload : value]))
      const visitor = /^\/(sign-|password)/.test(action) ? stranger : world.person
      await look(`POST ${action}`, visitor.form(action === '' ? '/' : action, fields))
    }
    expect(foreign).toEqual([])
    expect(forms.size).toBeGreaterThan(12)
    // Every text is shown somewhere unchanged, except a report, which only the operator sees, and a User-Agent, of which
    // only the browser's name is shown.
    const missing = PLACES.filter((place) => !seen.some((text) => text.includes(textAt(payload, place))))
    expect(missing.filter((place) => place !== 'report' && place !== 'browser')).toEqual([])
  })
})
