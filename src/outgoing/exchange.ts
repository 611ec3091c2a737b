import type { LookupAddress } from 'node:dns'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { agentFor } from './connection.ts'
import { NotSent, type Target } from './target.ts'

/** `100 Continue` and `103 Early Hints`, of which an honest server sends one or two; each is small, and costs much to parse. */
const MAX_INTERIM_ANSWERS = 20

/** What to send to a target. */
export interface Request {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  /** Empty for none. */
  body: string
}

/** What comes before the body of an answer. */
export interface Head {
  status: number
  headers: IncomingHttpHeaders
}

/** How much of an answer is read, and for how long. */
export interface Reading {
  /** Of everything the other side sends: certificates, head, framing and body. More is an error. */
  maxBytes: number
  deadline: AbortSignal
  /** Told of what is received. @returns why no more may be, or null. */
  receive(bytes: number): Error | null
  /** What is said when the deadline is over. */
  tooSlow: string
  /** Whether the body is to be read at all. */
  wants(head: Head): boolean
  /** Takes the next part of the body. @returns whether it wants more. */
  take(part: Uint8Array): boolean
}

/**
 * One request to a checked target, and its answer: to the end, or as far as it is wanted.
 * @throws NotSent if there was no answer, or too much of it; what `receive` returned.
 */
export function exchange({ url, host, addresses }: Target, request: Request, reading: Reading): Promise<Head> {
  const { maxBytes, deadline, tooSlow } = reading
  return new Promise((resolve, reject) => {
    let sent: ClientRequest | undefined
    const fail = (reason: string | Error) => {
      reject(reason instanceof Error ? reason : new NotSent(reason))
      sent?.destroy()
    }
    if (deadline.aborted) return fail(tooSlow)
    deadline.addEventListener('abort', () => fail(tooSlow), { once: true })
    const received = (answer: IncomingMessage) => {
      const head = { status: answer.statusCode ?? 0, headers: answer.headers }
      const finish = () => {
        resolve(head)
        sent?.destroy()
      }
      answer.on('error', () => fail(CUT_OFF))
      if (!reading.wants(head)) return finish()
      // Limits are the connection’s.
      answer.on('data', (part: Uint8Array) => reading.take(part) || finish())
      answer.on('end', () => resolve(head))
      // Also after its end, so that whatever still comes finds nobody.
      answer.on('close', () => fail(CUT_OFF))
    }
    let refused: Error | null = null
    const bound = {
      maxBytes,
      receive: (bytes: number) => (refused = reading.receive(bytes)) === null,
      onTooMuch: () => fail(refused ?? tooMuch(maxBytes)),
    }
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
    const { method, headers, body } = request
    try {
      sent = (protocol === 'https:' ? overHttps : overHttp)(
        {
          method,
          protocol,
          hostname: host,
          port: url.port,
          path: url.pathname + url.search,
          headers: { ...headers, ...lengthOf(request), 'accept-encoding': 'identity' },
          agent: agentFor(protocol, bound),
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

const lengthOf = ({ method, body }: Request): Record<string, string> =>
  method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
const tooMuch = (maxBytes: number) => `the answer has more than ${maxBytes / 1024} KiB`
const TOO_MANY = `the answer was preceded by more than ${MAX_INTERIM_ANSWERS} interim ones`
const CUT_OFF = 'the answer was cut off'

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/** Answers a runtime’s look-up with the addresses that were checked. */
function answerLookup(addresses: readonly LookupAddress[], options: { all?: boolean }, found: Found): void {
  const [first] = addresses
  if (options.all === true) found(null, [...addresses])
  else found(null, first?.address ?? '', first?.family ?? 0)
}
