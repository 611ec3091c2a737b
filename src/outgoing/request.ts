import { Buffer } from 'node:buffer'
import { exchange, type Head, type Reading, type Request } from './exchange.ts'
import { type Guard, NotSent, targetOf } from './target.ts'
import { NoTurn, type Places, Turns } from './turns.ts'

/** Timeout for look-ups, redirects and the whole answer together. */
const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
/** Where somebody waits for the answer, a turn that is further away is refused. */
const PATIENCE_MS = 2_500
/** Maximum bytes read: of an answer to a POST, of which only the head is kept, and by default of an answer to a GET. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * The User-Agent, which names the sender of a request and its purpose.
 * @param purpose such as `webhooks`.
 */
export function userAgentOf({ name, origin }: { name: string; origin: string }, purpose: string): string {
  return `${name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40)}-${purpose}/1 (+${origin})`
}

/** The contents of a POST. */
export interface Post {
  /** The person or organisation that causes the request, by id, because the requests of each are limited. */
  account: string
  headers: Record<string, string>
  body: string
}

/** The answer to a POST: its head, and of one that asks to wait (429), the beginning of its body. */
export interface Posted extends Head {
  text: string
}

/** What is kept of such a body. */
const MAX_KEPT_BYTES = 2 * 1024

/**
 * Posts to a URL from somebody else: to public addresses only, checked anew for every redirect. Redirects that would turn the
 * POST into a GET are not followed, nor those to plain http. Waiting for a turn does not count towards the timeout.
 * @returns the head of the answer; all other bodies are read and discarded.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if no turn was to be had.
 */
export async function post(url: string, sent: Post, guard: Guard, timeoutMs = TIMEOUT_MS): Promise<Posted> {
  const { account, headers, body } = sent
  let kept: Buffer = Buffer.alloc(0)
  let isKept = false
  const head = await follow(url, { method: 'POST', headers, body }, guard, {
    account,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs,
    tooSlow: `there was no complete answer within ${TIMEOUT_MS / 1000} seconds`,
    leadsOn: (status) => status === 307 || status === 308,
    mayLeaveTls: false,
    wants({ status }) {
      isKept = status === 429
      return true
    },
    take(part) {
      if (isKept && kept.byteLength < MAX_KEPT_BYTES) kept = Buffer.concat([kept, part]).subarray(0, MAX_KEPT_BYTES)
      return true
    },
  })
  return { ...head, text: kept.toString() }
}

/** The options of a GET, and how much of the answer to read. */
export interface Get extends Partial<Pick<Reading, 'maxBytes'>> {
  /** As for a POST; null for requests that nobody in particular causes. */
  account: string | null
  /** By default `GET`; `HEAD` reads no body. */
  method?: 'GET' | 'HEAD'
  headers: Record<string, string>
  /** Timeout for look-ups, turns, redirects and the answer together; with `turn`, for each request. */
  timeoutMs?: number
  /** For background requests and their redirects: resolves when it is also their turn there; false if that is too far away. */
  turn?(places: Places): Promise<boolean>
  /** True by default. */
  followsRedirects?: boolean
  /** Whether redirects may lead from https to plain http; false by default. */
  mayLeaveTls?: boolean
  /** Whether to read the body, by the head; true by default. */
  wants?(head: Head): boolean
  /** Whether the body so far is enough, called for each part; by default the body is read to its end. */
  isEnough?(part: Uint8Array, bytes: number): boolean
}

/** An answer to a GET. */
export interface Got extends Head {
  /** After redirects. */
  url: URL
  body: Buffer
}

/**
 * Gets a URL from somebody else, under the rules of `post`; without credentials, and never compressed.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if no turn was to be had.
 */
export async function get(url: string, sent: Get, guard: Guard): Promise<Got> {
  const { method = 'GET', headers, timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES, mayLeaveTls = false } = sent
  const { account, followsRedirects = true, wants = () => true, isEnough = () => false, turn } = sent
  let body: Buffer = Buffer.alloc(0)
  let bytes = 0
  const got = await follow(url, { method, headers, body: '' }, guard, {
    account,
    maxBytes,
    timeoutMs,
    tooSlow: 'there was no complete answer in time',
    leadsOn: (status) => followsRedirects && REDIRECTS.has(status),
    mayLeaveTls,
    turn,
    wants,
    take(part) {
      // Grows by doubling, because parts may be single bytes.
      if (bytes + part.byteLength > body.byteLength) body = grown(body, bytes + part.byteLength)
      body.set(part, bytes)
      bytes += part.byteLength
      return !isEnough(part, bytes)
    },
  })
  return { ...got, body: body.subarray(0, bytes) }
}

/** The statuses of redirects to `location`. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function grown(body: Buffer, atLeast: number): Buffer {
  const larger = Buffer.alloc(Math.max(4096, body.byteLength * 2, atLeast))
  larger.set(body)
  return larger
}

/** How to read an answer, and which redirects to follow. */
interface Following extends Omit<Reading, 'deadline' | 'receive'> {
  account: string | null
  timeoutMs: number
  leadsOn(status: number): boolean
  mayLeaveTls: boolean
  turn?: Get['turn']
}

/** The turns of this process. */
const TURNS = new Turns()

async function follow(url: string, request: Request, guard: Guard, how: Following): Promise<Head & { url: URL }> {
  const { account, timeoutMs, tooSlow, leadsOn, mayLeaveTls, turn } = how
  const { turns = TURNS } = guard
  const isPost = request.method === 'POST'
  const time = new Time(timeoutMs)
  const deadline = time.signal
  const receive = (bytes: number) => (turns.receive(account, bytes) ? null : new NoTurn('account'))
  const leads = ({ status, headers }: Head) => leadsOn(status) && headers.location !== undefined
  // For a POST, the body of a redirect is read to its end and discarded; for a GET, it is not read.
  const wants = (head: Head) => how.wants(head) && (isPost || !leads(head))
  try {
    let next = new URL(url)
    for (let redirects = 0; ; redirects += 1) {
      if (turn !== undefined) time.begin(timeoutMs)
      const target = await before(deadline, targetOf(next, guard), tooSlow)
      const waitsApart = turn !== undefined || (isPost && redirects === 0)
      if (waitsApart) time.pause()
      if (turn !== undefined && !(await turn(target.places))) throw new NoTurn('site')
      await turns.take(target.places, account, PATIENCE_MS)
      if (waitsApart) time.begin(turn === undefined ? time.leftMs : timeoutMs)
      const head = await exchange(target, request, { ...how, deadline, receive, wants })
      if (!leads(head)) return { ...head, url: next }
      if (redirects === MAX_REDIRECTS) throw new NotSent(`it was redirected more than ${MAX_REDIRECTS} times`)
      const location = head.headers.location ?? ''
      const to = URL.canParse(location, next.href) ? new URL(location, next) : null
      if (to === null) throw new NotSent('it was redirected to something that is no URL')
      if (!mayLeaveTls && next.protocol === 'https:' && to.protocol === 'http:') {
        throw new NotSent('it was redirected to plain http')
      }
      next = to
    }
  } finally {
    time.pause()
  }
}

/** The remaining time of a request. */
class Time {
  leftMs = 0
  readonly #over = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #since = 0

  constructor(ms: number) {
    this.begin(ms)
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  pause(): void {
    clearTimeout(this.#timer)
    this.leftMs -= performance.now() - this.#since
  }

  begin(ms: number): void {
    clearTimeout(this.#timer)
    this.leftMs = ms
    this.#since = performance.now()
    this.#timer = setTimeout(() => this.#over.abort(), Math.max(0, ms))
  }
}

/** The result of some work, unless time is up first: a look-up cannot be aborted. */
function before<T>(signal: AbortSignal, work: Promise<T>, tooSlow: string): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new NotSent(tooSlow)), { once: true })
    work.then(resolve, reject)
  })
}
