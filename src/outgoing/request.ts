import { Buffer } from 'node:buffer'
import { exchange, type Head, type Reading, type Request } from './exchange.ts'
import { type Guard, NotSent, targetOf } from './target.ts'
import { NoTurn, type Places, Turns } from './turns.ts'

/** For everything: look-ups, redirects and the whole answer. */
const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
/** A turn that is further away is not waited for, where somebody waits for the answer. */
const PATIENCE_MS = 2_500
/** What is read of an answer to a POST, of which only the head is kept, and at most of one to a GET. */
const MAX_ANSWER_BYTES = 64 * 1024

/**
 * How a request says whose it is, and what it is for.
 * @param purpose such as `webhooks`.
 */
export function userAgentOf({ name, origin }: { name: string; origin: string }, purpose: string): string {
  return `${name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40)}-${purpose}/1 (+${origin})`
}

/** What to post, besides the URL. */
export interface Post {
  /** Whose request it is, by the id of a person or an organisation: what each causes has a bound. */
  account: string
  headers: Record<string, string>
  body: string
}

/**
 * Posts to a URL that somebody else has named: to public addresses only, checked anew for every redirect.
 * Redirects that would turn the POST into a GET are not followed, nor those to plain http. What it waits for its turn is no part of
 * its time.
 * @returns what came before the body of the answer, which is read and forgotten.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if none was to be had.
 */
export async function post(url: string, sent: Post, guard: Guard, timeoutMs = TIMEOUT_MS): Promise<Head> {
  const { account, headers, body } = sent
  return follow(url, { method: 'POST', headers, body }, guard, {
    account,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs,
    tooSlow: `there was no complete answer within ${TIMEOUT_MS / 1000} seconds`,
    leadsOn: (status) => status === 307 || status === 308,
    mayLeaveTls: false,
    wants: () => true,
    take: () => true,
  })
}

/** What to get, besides the URL, and how much of the answer. */
export interface Get extends Partial<Pick<Reading, 'maxBytes'>> {
  /** As of a POST; null for what nobody in particular causes. */
  account: string | null
  /** With `HEAD` there is no body; by default `GET`. */
  method?: 'GET' | 'HEAD'
  headers: Record<string, string>
  /** For everything: look-ups, turns, redirects and the answer; with `turn`, for each request. */
  timeoutMs?: number
  /**
   * For what nobody waits for: resolves once it is its turn in the background, too, and so for those after redirects; false if that is
   * too far away.
   */
  turn?(places: Places): Promise<boolean>
  /** By default yes. */
  followsRedirects?: boolean
  /** Whether redirects may lead from https to plain http; by default not. */
  mayLeaveTls?: boolean
  /** Whether the body is to be read, by what comes before it; by default always. */
  wants?(head: Head): boolean
  /** Whether the body so far is enough, told of each part as it comes; by default it is read to its end. */
  isEnough?(part: Uint8Array, bytes: number): boolean
}

/** An answer to a GET. */
export interface Got extends Head {
  /** After redirects. */
  url: URL
  body: Buffer
}

/**
 * Gets a URL that somebody else has named, as `post` posts to one; without credentials, and never compressed.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if none was to be had.
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
      // Grown by doubling, because parts may be of one byte each.
      if (bytes + part.byteLength > body.byteLength) body = grown(body, bytes + part.byteLength)
      body.set(part, bytes)
      bytes += part.byteLength
      return !isEnough(part, bytes)
    },
  })
  return { ...got, body: body.subarray(0, bytes) }
}

/** The statuses of answers that lead to their `location`. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function grown(body: Buffer, atLeast: number): Buffer {
  const larger = Buffer.alloc(Math.max(4096, body.byteLength * 2, atLeast))
  larger.set(body)
  return larger
}

/** How an answer is read, and which answers lead on to another. */
interface Following extends Omit<Reading, 'deadline' | 'receive'> {
  account: string | null
  timeoutMs: number
  leadsOn(status: number): boolean
  mayLeaveTls: boolean
  turn?: Get['turn']
}

/** Of the whole process. */
const TURNS = new Turns()

async function follow(url: string, request: Request, guard: Guard, how: Following): Promise<Head & { url: URL }> {
  const { account, timeoutMs, tooSlow, leadsOn, mayLeaveTls, turn } = how
  const { turns = TURNS } = guard
  const isPost = request.method === 'POST'
  const time = new Time(timeoutMs)
  const deadline = time.signal
  const receive = (bytes: number) => (turns.receive(account, bytes) ? null : new NoTurn('account'))
  const leads = ({ status, headers }: Head) => leadsOn(status) && headers.location !== undefined
  // What a redirect has besides its address is read to the end where nothing else is known of it, and kept nowhere.
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

/** How long a request may take yet. */
class Time {
  leftMs = 0
  readonly #over = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #since = 0

  constructor(ms: number) {
    this.begin(ms)
  }

  /** Aborted once it is over. */
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
