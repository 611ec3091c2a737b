import { gzipSync } from 'node:zlib'
import type { Socket } from 'bun'

/** Text in encodings of the old Web, as bytes, because neither runtime writes them. */
const ENCODED: Record<string, string> = {
  shift_jis: '93fa967b8cea82cc91e8',
  gb18030: 'd6d0cec4b1eacce2',
  'windows-1251': 'cff0e8e2e5f220ece8f0',
  'utf-16le': '',
}

const bytes = (text: string) => new TextEncoder().encode(text)
const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
const page = (title: string, more = '') => `<!doctype html><html><head>${more}<title>${title}</title></head><body>x`
const html = (body: string | Uint8Array<ArrayBuffer>, charset = '; charset=utf-8') =>
  new Response(body, { headers: { 'content-type': `text/html${charset}` } })

/** A page whose title is in an encoding, declared by its answer or by itself. */
function encoded(name: string, where: string): Response {
  if (name === 'utf-16le') return html(new Uint8Array(Buffer.from(page('Grüße'), 'utf16le')), '; charset=utf-16le')
  if (name === 'nonsense') return html(page('Grüße'), '; charset=nonsense')
  const meta = where === 'meta' ? `<meta http-equiv="Content-Type" content="text/html; charset=${name}">` : ''
  const [before = '', after = ''] = page('|', meta).split('|')
  const title = new Uint8Array(Buffer.from(ENCODED[name] ?? '', 'hex'))
  return html(joined(bytes(before), title, bytes(after)), where === 'meta' ? '' : `; charset=${name}`)
}

/** Small as it is sent, and 50 MiB for whoever unpacks it. */
const BOMB = gzipSync(joined(bytes(page('Bomb')), new Uint8Array(50 * 2 ** 20)))

const PAGES: Record<string, () => Response> = {
  '/plan': () => html(page('The plan')),
  '/who': () => html(page('Who')),
  '/moved': () => new Response(null, { status: 301, headers: { location: '/plan' } }),
  '/far': () => new Response(null, { status: 302, headers: { location: `/plan?${'x'.repeat(2_048)}` } }),
  '/members': () => new Response(page('Members'), { status: 403, headers: { 'content-type': 'text/html' } }),
  '/bom': () => html(joined(new Uint8Array([0xef, 0xbb, 0xbf]), bytes(page('Grüße'))), '; charset=windows-1251'),
  '/undeclared': () => html(page('Grüße'), ''),
  '/latin': () => html(new Uint8Array(Buffer.from(page('Grüße'), 'latin1')), ''),
  '/lines': () => html(page('\n  One\r\n\ttwo\u0007 \u0085 three  ')),
  '/entities': () => html(page('Q&amp;A &ndash; &#8220;why&#8221; &lt;b&gt;')),
  '/turning': () => html(page('safe \u202egpj.exe')),
  '/long': () => html(page('ü'.repeat(1_000))),
  '/og': () => html('<head><meta property="og:title" content="What it is called when shared"></head>'),
  '/picture': () => html('<head><svg><title>A picture</title></svg><title>The page</title></head>'),
  '/untitled': () => html('<p>no title</p>'),
  '/file': () => new Response('<title>not a page</title>', { headers: { 'content-type': 'text/plain' } }),
  '/bomb': () => new Response(BOMB, { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' } }),
  '/five-megabytes': () => html(`<head><script>${' '.repeat(5 * 2 ** 20)}</script><title>Late</title></head>`),
}

/** Web sites, good and bad, on this machine. */
export function startSites() {
  const received: { path: string; headers: Record<string, string> }[] = []
  let released = false
  let silent = 0
  let mostSilent = 0
  const forever = (first: string, next: () => Uint8Array, everyMs: number) =>
    html(
      new ReadableStream({
        start: (controller) => controller.enqueue(bytes(first)),
        async pull(controller) {
          if (everyMs > 0) await Bun.sleep(everyMs)
          if (released) return controller.close()
          controller.enqueue(next())
        },
      }) as unknown as string,
    )
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch({ url, headers, signal }) {
      const { pathname } = new URL(url)
      received.push({ path: pathname, headers: Object.fromEntries(headers) })
      const [, what = '', which = ''] = pathname.split('/')
      if (what === 'header' || what === 'meta') return encoded(which, what)
      if (what === 'again') {
        return new Response(null, { status: 302, headers: { location: `/again/${Number(which) - 1}` } })
      }
      if (what === 'endless') return forever(page('Endless'), () => new Uint8Array(64 * 1024), 0)
      if (what === 'drip-after-head') return forever(page('Before the drip'), () => new Uint8Array(1), 50)
      if (what === 'silent') {
        silent += 1
        mostSilent = Math.max(silent, mostSilent)
        signal.addEventListener('abort', () => (silent -= 1))
        return new Promise<Response>(() => {})
      }
      return PAGES[pathname]?.() ?? new Response('no', { status: 404, headers: { 'content-type': 'text/html' } })
    },
  })
  /** Speaks raw bytes: answers that are no HTTP, end too early, or come in the smallest pieces. */
  const raw = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket, data) {
        const [, path = ''] = data.toString().split(' ')
        if (path === '/cut')
          socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 100\r\n\r\nten bytes.')
        if (path === '/nonsense') socket.write('220 mail.example ESMTP\r\n')
        if (path === '/continue') return flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n')
        socket.end()
      },
    },
  })
  return {
    received,
    port: server.port ?? 0,
    raw: (path: string) => `http://localhost:${raw.port}${path}`,
    /** How many requests have waited at a time for an answer that does not come. */
    silentAtOnce: () => mostSilent,
    async stop() {
      released = true
      raw.stop(true)
      await server.stop(true)
    },
  }
}

/** Sends something again and again, until the other side hangs up. */
function flood(socket: Socket, again: string): void {
  const timer = setInterval(() => {
    if (socket.readyState === 1) socket.write(again.repeat(50))
    else clearInterval(timer)
  }, 1)
}
