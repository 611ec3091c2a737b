import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { fieldsIn } from '../form.ts'
import type { Server } from '../server.ts'

/** Deno takes a while to start on a busy machine. */
export const START_MS = 180_000

export const URL_OK = 'https://a.example/'

/** Fields that an answer's JSON may have; a missing one reads as undefined. */
interface Body {
  error: string
  code: string
  retryAfterSeconds: number
  slug: string
  url: string
  claimUrl: string
  claimToken: string
  claimExpiresAt: string
  warning: string
}

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

/** POSTs JSON; a string is sent unchanged. */
export async function post(address: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Body }
}

export function create(
  { origin }: Pick<Server, 'origin'>,
  body: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  return post(`${origin}/api/links`, body, headers)
}

/** Creates a bundle. @returns its slug. */
export async function newSlug(server: Server, body: unknown = { urls: [URL_OK] }): Promise<string> {
  return (await create(server, body)).body.slug
}

/** A browser's User-Agent: neither views nor clicks of the tests' own, a program's, are counted. */
export const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0' }

/** Sends a click of a browser. */
export function sendEvent({ origin }: Server, slug: string, headers?: Record<string, string>): Promise<Answer> {
  return post(`${origin}/api/links/${slug}/events`, { kind: 'open_all' }, { ...BROWSER, ...headers })
}

/** Presses a button of the home page's form like a browser without JavaScript. @returns the page. */
export async function submit(
  { origin }: Server,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<{ status: number; html: string }> {
  const body = new URLSearchParams(fields)
  const answer = await fetch(`${origin}/`, { method: 'POST', body, headers })
  return { status: answer.status, html: await answer.text() }
}

/** The same, and then the list that it shows, as it is. */
export async function publish(server: Server, fields: Record<string, string>, headers?: Record<string, string>) {
  const first = await submit(server, fields, headers)
  return first.status === 200 ? submit(server, fieldsIn(first.html), headers) : first
}

export async function readRow<Row>(server: Pick<Server, 'sql'>, query: string, ...args: string[]): Promise<Row> {
  return ((await server.sql(query, args))[0] ?? null) as Row
}

export interface StoredBundle {
  id: number
  slug: string
  title: string | null
  description: string | null
  source: string
  client: string | null
  urls: string[]
  urlMetadata: { note?: string; tags?: string[]; openPolicy?: string }[]
  variables: { name: string }[]
}

/** A bundle's row: anonymous bundles have no route that reads them. */
export async function storedBundle(server: Server, slug: string): Promise<StoredBundle> {
  const row = await readRow<
    Omit<StoredBundle, 'urls' | 'urlMetadata' | 'variables'> & Record<'urls' | 'url_metadata' | 'variables', string>
  >(server, 'SELECT * FROM bundles WHERE slug = ?', slug)
  return {
    ...row,
    urls: JSON.parse(row.urls),
    urlMetadata: JSON.parse(row.url_metadata),
    variables: JSON.parse(row.variables),
  }
}

export async function countBundles(server: Server): Promise<number> {
  return (await readRow<{ n: number }>(server, 'SELECT count(*) AS n FROM bundles')).n
}

/** The views and clicks of a bundle, or null before any. Counts are written in the background: stop the server first. */
export function counts(server: Server, slug: string): Promise<{ views: number; clicks: number } | null> {
  return readRow(
    server,
    `SELECT views, open_all_clicks AS clicks FROM daily_counters JOIN bundles ON bundles.id = bundle_id WHERE slug = ?`,
    slug,
  )
}

/** Only guards against hanging. */
const CLOSED_WITHIN_MS = 30_000

/**
 * Sends raw bytes and reads until the server closes; if it may keep the connection open, until it has sent nothing for
 * `quietMs`, or longer if it is slow. Empty if it closes without an answer.
 */
export function sendRaw({ origin }: Server, bytes: string | Uint8Array, quietMs?: number): Promise<string> {
  const { protocol, port } = new URL(origin)
  const to = { port: Number(port), host: 'localhost' }
  return new Promise((resolve) => {
    let text = ''
    let isOver = false
    const end = () => {
      isOver = true
      socket.destroy()
      resolve(text)
    }
    const wait = async () => {
      for (let length = -1; !isOver && length < text.length; ) {
        length = text.length
        await Bun.sleep(quietMs ?? CLOSED_WITHIN_MS)
        if (isOver || quietMs === undefined) break
        // How long the server takes at present: on a busy machine the answer may still be on its way.
        const negotiatedAt = performance.now()
        await fetch(`${origin}/healthz`).catch(() => null)
        await Bun.sleep(10 * (performance.now() - negotiatedAt))
      }
      end()
    }
    const send = () => {
      socket.write(bytes)
      void wait()
    }
    const socket = protocol === 'https:' ? connectTls(to, send) : connect(to, send)
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('end', end)
    socket.on('error', end)
  })
}

/** The text of a request whose connection closes after the answer. */
export function requestText(method: string, target: string, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries({ connection: 'close', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The status of the first answer in the result of `sendRaw`, or null without one. */
export function statusOf(raw: string): number | null {
  const found = /^HTTP\/1\.[01] (\d{3})/.exec(raw)
  return found === null ? null : Number(found[1])
}
