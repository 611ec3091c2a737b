import { mayBePlain, NotConnected } from './address.ts'

// Requests to an instance before it is trusted with a token: each answer is bounded, and no redirect is followed.

/** What the metadata of an instance says that the extension uses (RFC 8414). */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'] as const
type Endpoints = Record<(typeof ENDPOINTS)[number], string>

const TIMEOUT_MS = 15_000
/** Far more than metadata or tokens take. */
const MAX_OAUTH_BYTES = 64 * 1024
/** More than a page of a list takes: 100 bundles of 25 links with notes. */
export const MAX_API_BYTES = 16 * 1024 * 1024

/** An answer that ends in an error beyond so many bytes: an instance could send without end. */
export function bounded(answer: Response, maxBytes: number): Response {
  if (answer.body === null) return answer
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) controller.error(new Error('the answer is too long'))
      else controller.enqueue(chunk)
    },
  })
  return new Response(answer.body.pipeThrough(counting), answer)
}

/** The JSON object in an answer of OAuth; empty if there is none. */
async function objectIn(answer: Response): Promise<Record<string, unknown>> {
  const said: unknown = await bounded(answer, MAX_OAUTH_BYTES)
    .json()
    .catch(() => null)
  return typeof said === 'object' && said !== null ? { ...said } : {}
}

/** A text of an instance for its user: one line of at most so many characters; null for none. */
function lineIn(said: unknown, maxCharacters: number): string | null {
  if (typeof said !== 'string') return null
  const line = said.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line === '' ? null : [...line].slice(0, maxCharacters).join('')
}

/**
 * Finds out whether an address is an instance.
 * @returns its name, for `keepInstance`.
 * @throws NotConnected.
 */
export async function nameOf(origin: string): Promise<string> {
  const { resource_name, resource } = await metadata(origin, '/.well-known/oauth-protected-resource/api')
  const name = lineIn(resource_name, 60)
  if (name === null || resource !== `${origin}/api`) throw noInstance(origin)
  return name
}

/** The error of a request whose answer is missing. */
export const LOST = 'lost'

/** The endpoints of an instance. All are on its own origin: elsewhere they would get its codes and tokens. */
export async function endpointsOf(origin: string): Promise<Endpoints> {
  const said = await metadata(origin, '/.well-known/oauth-authorization-server')
  if (said.issuer !== origin) throw noInstance(origin)
  const entries = ENDPOINTS.map((name) => {
    const address = String(said[name])
    if (!URL.canParse(address) || new URL(address).origin !== origin)
      throw new NotConnected(`${hostOf(origin)} names an address for its sign-in that is not its own.`)
    return [name, address]
  })
  return Object.fromEntries(entries)
}

async function metadata(origin: string, path: string): Promise<Record<string, unknown>> {
  const answer = await request(origin + path, {})
  if (!answer.ok) throw noInstance(origin)
  return objectIn(answer)
}

/** Posts to an endpoint of OAuth. @throws NotConnected with its own sentence. */
export async function ask(url: string, init: Pick<RequestInit, 'body' | 'headers'>): Promise<Record<string, unknown>> {
  const answer = await request(url, { ...init, method: 'POST' })
  const body = await objectIn(answer)
  if (answer.ok) return body
  const said = lineIn(body.error_description, 200) ?? `${hostOf(url)} answered ${answer.status}.`
  throw new NotConnected(said, lineIn(body.error, 40))
}

async function request(url: string, init: RequestInit): Promise<Response> {
  if (!mayBePlain(url)) throw new NotConnected(`${hostOf(url)} needs an https: address.`)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await fetch(url, { ...init, credentials: 'omit', redirect: 'error', signal })
  } catch {
    throw new NotConnected(`${hostOf(url)} can’t be reached.`, LOST)
  }
}

export const hostOf = (url: string) => new URL(url).host
const noInstance = (origin: string) => new NotConnected(`${hostOf(origin)} is no Openall service.`)
