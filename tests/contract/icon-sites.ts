import { eventually } from '../eventually.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { HOSTILE_SVGS, USUAL_SVGS } from './hostile-svgs.ts'
import { PICTURES, plainPng, REFUSED, ring, TEXT_BOMB } from './icon-files.ts'

/** @param port of the sites. */
type Answer = (port: number | undefined) => Response | Promise<Response>

const image = (bytes: Uint8Array<ArrayBuffer>, type = 'image/x-icon'): Answer => {
  return () => new Response(bytes, { headers: { 'content-type': type } })
}
const page = (head: string): Answer => {
  return () => new Response(`<head>${head}</head><body>`, { headers: { 'content-type': 'text/html' } })
}
const away = (location: string): Answer => {
  return () => new Response(null, { status: 302, headers: { location } })
}

/** What a script in a picture, and a page behind one, would do to whoever opened it. */
const SCRIPTED = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"><script>alert(1)</script><rect width="9" height="9" fill="red"/></svg>',
)
const POLYGLOT = new Uint8Array(Buffer.concat([Buffer.from(PICTURES.png), Buffer.from('<script>alert(1)</script>')]))

/** A picture with so many bytes after its end that it has `bytes`. */
const padded = (bytes: number) => {
  const whole = new Uint8Array(bytes)
  whole.set(PICTURES.png)
  return whole
}

/** What each site answers, by path; a site of any other name has the icon of that name in `REFUSED`, or none. */
const SITES: Record<string, Record<string, Answer>> = {
  ...Object.fromEntries(
    Object.entries({ ...PICTURES, ...REFUSED, ...HOSTILE_SVGS, ...USUAL_SVGS }).map(([name, bytes]) => [
      name,
      { '/favicon.ico': image(bytes) },
    ]),
  ),
  named: {
    '/': page(
      '<link rel="icon" href="/small.png" sizes="16x16"><link rel="shortcut icon" href="/right.png" sizes="96x96"><link rel="apple-touch-icon" href="/touch.png"><link rel="mask-icon" href="/mask.svg">',
    ),
    '/right.png': image(plainPng(48, 48, [10, 20, 200, 255]), 'image/png'),
    '/favicon.ico': image(PICTURES.ico),
  },
  based: {
    '/': page('<base href="/deep/"><link rel=icon href="x.png?a=1&amp;b=2">'),
    '/deep/x.png?a=1&b=2': image(plainPng(64, 64, [200, 20, 10, 255]), 'image/png'),
  },
  'first-broken': { '/': page('<link rel=icon href=/gone.png>'), '/favicon.ico': image(PICTURES.gif) },
  // Of many people, each with pages of their own.
  shared: {
    '/': page('<link rel=icon href=/own.png>'),
    '/own.png': image(plainPng(32, 32, [0, 120, 120, 255]), 'image/png'),
    '/~mallory/': page('<title>Mallory</title><link rel=icon href=/~mallory/other.png>'),
    '/~mallory/other.png': image(plainPng(32, 32, [250, 0, 250, 255]), 'image/png'),
  },
  // With the head of their answers, more than is read, and less.
  'too-large': { '/favicon.ico': image(padded(256 * 1024), 'image/png') },
  'not-too-large': { '/favicon.ico': image(padded(255 * 1024), 'image/png') },
  'third-good': {
    '/': page('<link rel=icon href=/1.png><link rel=icon href=/2.png><link rel=icon href=/3.png>'),
    '/3.png': image(plainPng(32, 32, [1, 2, 3, 255]), 'image/png'),
    '/favicon.ico': image(PICTURES.gif),
  },
  tenant: { '/favicon.ico': image(plainPng(40, 40, [90, 60, 30, 255]), 'image/png') },
  light: { '/favicon.ico': image(ring('#fff')) },
  dark: { '/favicon.ico': image(ring('#111')) },
  scripted: { '/favicon.ico': image(SCRIPTED, 'image/svg+xml') },
  polyglot: { '/favicon.ico': image(POLYGLOT, 'text/plain') },
  'text-bomb': { '/favicon.ico': image(plainPng(16, 16, [0, 200, 0, 255], [TEXT_BOMB])) },
  'page-for-icon': { '/favicon.ico': page('<title>no such page') },
  moved: {
    '/': (port) => new Response(null, { status: 302, headers: { location: `http://named.localhost:${port}/` } }),
    '/favicon.ico': () => new Response('no', { status: 404 }),
  },
  'to-private': { '/favicon.ico': away('http://169.254.169.254/latest/meta-data') },
  'to-file': { '/favicon.ico': away('file:///etc/passwd') },
  endless: {
    '/favicon.ico': () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
        }) as unknown as string,
        { headers: { 'content-type': 'image/png' } },
      ),
  },
  silent: { '/favicon.ico': () => new Promise<Response>(() => {}) },
}

/** Sites on this machine, each with a name of its own, that have icons, good and bad. */
export function startIconSites() {
  const received: { site: string; path: string; headers: Record<string, string> }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch({ url, headers }): Response | Promise<Response> {
      const { hostname, pathname, search } = new URL(url)
      const site = hostname.replace(/\.localhost$/, '')
      const path = pathname + search
      received.push({ site, path, headers: Object.fromEntries(headers) })
      // A number after its name makes it another site with the same icon.
      const answers = SITES[site.replace(/\.\d+$/, '')] ?? {}
      const answer =
        answers[path] ?? (pathname === '/favicon.ico' ? null : (answers['/'] ?? page('<title>A page</title>')))
      return answer === null || (/\.png$/.test(pathname) && answers[path] === undefined)
        ? new Response('no', { status: 404 })
        : answer(server.port)
    },
  })
  const at = (site: string, path = '/') => `http://${site}.localhost:${server.port}${path}`
  return {
    at,
    received,
    /** The paths that a site was asked for, each once. */
    askedOf: (name: string) =>
      [...new Set(received.filter(({ site }) => site === name).map(({ path }) => path))].sort(),
    stop: () => server.stop(true),
  }
}

/** What `inspect_urls` answers, of it what these tests look at. */
export interface Found {
  links: { icon: string | null; title: string | null }[]
}

/** Asks for icons by looking at links, as one person after another: each may look at few. */
export function iconsThrough(server: () => Server, sites: Pick<ReturnType<typeof startIconSites>, 'at'>) {
  let person: Person | undefined
  const inspect = async (url: string) => {
    person ??= await newPerson(server())
    const { status, body } = await person.api<Found>('POST', '/api/links/inspect', { urls: [url] })
    if (status === 429) person = undefined
    return status === 200 ? (body.links[0]?.icon ?? null) : null
  }
  return {
    inspect,
    /** The icon once it is known: a busy machine may take longer to draw it than a call waits. */
    async iconOf(site: string): Promise<string> {
      let icon: string | null = null
      await eventually(async () => (icon = await inspect(sites.at(site))) !== null, `an icon of ${site}`)
      return icon!
    },
  }
}
