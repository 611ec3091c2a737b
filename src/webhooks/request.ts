import type { LookupAddress } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { agentFor, MAX_ANSWER_BYTES } from './connection.ts'
import { type Guard, NotSent, type Target, targetOf } from './target.ts'

/** For everything: look-ups, redirects and the whole answer. */
const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
/** `100 Continue` and `103 Early Hints`, of which an honest server sends one or two; each is small, and costs much to parse. */
const MAX_INTERIM_ANSWERS = 20

/** What to post, besides the URL. */
export interface Post {
  headers: Record<string, string>
  body: string
}

/**
 * Posts to a URL that somebody else has named: to public addresses only, checked anew for every redirect.
 * Redirects that would turn the POST into a GET are not followed.
 * @returns the status of the answer, whose body is read and forgotten.
 * @throws NotSent if there was no answer, or too much of it.
 */
export async function post(
  url: string,
  { headers, body }: Post,
  guard: Guard,
  timeoutMs = TIMEOUT_MS,
): Promise<number> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  try {
    let next = new URL(url)
    for (let redirects = 0; ; redirects += 1) {
      const target = await before(deadline.signal, targetOf(next, guard))
      const { status, location } = await exchange(target, { headers, body }, deadline.signal)
      if ((status !== 307 && status !== 308) || location === undefined) return status
      if (redirects === MAX_REDIRECTS) throw new NotSent(`it was redirected more than ${MAX_REDIRECTS} times`)
      const to = URL.canParse(location, next.href) ? new URL(location, next) : null
      if (to === null) throw new NotSent('it was redirected to something that is no URL')
      if (next.protocol === 'https:' && to.protocol === 'http:') throw new NotSent('it was redirected to plain http')
      next = to
    }
  } finally {
    clearTimeout(timer)
  }
}

const TOO_SLOW = `there was no complete answer within ${TIMEOUT_MS / 1000} seconds`

/** The result of some work, unless time is up first: a look-up cannot be aborted. */
function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new NotSent(TOO_SLOW)), { once: true })
    work.then(resolve, reject)
  })
}

interface Exchanged {
  status: number
  location: string | undefined
}

/** One request to a checked target, and its answer to the end. */
function exchange({ url, host, addresses }: Target, { headers, body }: Post, signal: AbortSignal): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    let sent: ClientRequest | undefined
    const fail = (reason: string) => {
      reject(new NotSent(reason))
      sent?.destroy()
    }
    if (signal.aborted) return fail(TOO_SLOW)
    signal.addEventListener('abort', () => fail(TOO_SLOW), { once: true })
    const received = (answer: IncomingMessage) => {
      // Limits are the connection’s.
      answer.resume()
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location }))
      answer.on('error', () => fail(CUT_OFF))
      // Also after its end, so that whatever still comes finds nobody.
      answer.on('close', () => fail(CUT_OFF))
    }
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
    const request = protocol === 'https:' ? overHttps : overHttp
    try {
      sent = request(
        {
          method: 'POST',
          protocol,
          hostname: host,
          port: url.port,
          path: url.pathname + url.search,
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), 'accept-encoding': 'identity' },
          agent: agentFor(protocol, () => fail(TOO_MUCH)),
          lookup: (_host, options, found) => answerLookup(addresses, options, found as Found),
        },
        received,
      )
      let interim = 0
      sent.on('information', () => {
        interim += 1
        if (interim > MAX_INTERIM_ANSWERS) fail(TOO_MANY)
      })
      sent.on('error', () => fail('no connection could be made, or it was lost'))
      sent.end(body)
    } catch {
      fail('no connection could be made, or it was lost')
    }
  })
}

const TOO_MUCH = `the answer has more than ${MAX_ANSWER_BYTES / 1024} KiB`
const TOO_MANY = `the answer was preceded by more than ${MAX_INTERIM_ANSWERS} interim ones`
const CUT_OFF = 'the answer was cut off'

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Answers a runtime’s look-up with the addresses that were checked. */
function answerLookup(addresses: readonly LookupAddress[], options: { all?: boolean }, found: Found): void {
  const [first] = addresses
  if (options.all === true) found(null, [...addresses])
  else found(null, first?.address ?? '', first?.family ?? 0)
}
