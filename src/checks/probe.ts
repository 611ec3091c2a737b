import type { RobotsRule } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { getPage, pageOf, userAgent } from '../inspection/page.ts'
import type { Head } from '../outgoing/exchange.ts'
import { type Get, type Got, get, REDIRECTS } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import type { CheckResult } from './findings.ts'
import { allows, rulesIn } from './robots.ts'

/** The limit for one request. */
const TIMEOUT_MS = 8_000
/** The limit for a probe with all its requests and waits; the lease of its host is longer. */
const PROBE_MS = 90_000
const MAX_REDIRECTS = 5

/** Access to the hosts of links, coordinated among all processes. */
export interface Hosts {
  /** Resolves once a site and its addresses may get a request; false if that would take too long. */
  turn: NonNullable<Get['turn']>
  /** The rules that a host, with its port, had in `robots.txt` within the last day; null if the file must be read. */
  robotsOf(authority: string): Promise<readonly RobotsRule[] | null>
  keepRobots(authority: string, rules: readonly RobotsRule[]): Promise<void>
}

/** The parameters of a probe. */
export interface Probing {
  site: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
  hosts: Hosts
  /** The owner of the link, as the id of a person or organisation. */
  account: string
  /** The address whose title is read if the link leads there; null for none. */
  titleOf: string | null
}

const UNCHECKED: CheckResult = { kind: 'unchecked' }
const GONE: CheckResult = { kind: 'gone' }

/** Finds out whether a link leads somewhere, and where: sends HEAD, and only if that fails GET for the first bytes. */
export async function probe(url: string, probing: Probing): Promise<CheckResult> {
  const endsAt = performance.now() + PROBE_MS
  let at = new URL(url)
  let movedTo: string | null = null
  let isForGood = true
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (performance.now() > endsAt) return UNCHECKED
      const answer = await ask(at, probing)
      if (answer === null) return UNCHECKED
      const to = leadsTo(answer, at)
      if (to === null) return isThere(answer) ? { kind: 'there', movedTo, ...(await titleIn(answer)) } : GONE
      isForGood &&= answer.status === 301 || answer.status === 308
      if (isForGood) movedTo = to.href
      at = to
    }
  } catch (error) {
    if (error instanceof NoTurn) return UNCHECKED
    if (!(error instanceof NotSent)) throw error
  }
  return GONE
}

/** The answer of a page’s server; null if it may not be requested. @throws NotSent, NoTurn. */
async function ask(url: URL, probing: Probing): Promise<Got | null> {
  const { hosts, account, site, titleOf } = probing
  if (!(await mayAsk(url, probing))) return null
  if (url.href === titleOf) {
    const how = { account, turn: hosts.turn, timeoutMs: TIMEOUT_MS, followsRedirects: false }
    const page = await getPage(url.href, site, how).catch(noAnswer)
    if (page !== null) return page
  }
  const head = await send(url, probing, { method: 'HEAD' }).catch(noAnswer)
  if (head !== null && isThere(head) && head.status !== 405) return head
  // Some sites do not support HEAD, and answer it with anything.
  return send(url, probing, { headers: { range: 'bytes=0-1023' } })
}

/** The title in an answer, if it was to be read: only then does the answer have a body. */
async function titleIn(answer: Got): Promise<{ title?: string | null }> {
  return answer.body.length === 0 ? {} : { title: (await pageOf(answer))?.title ?? null }
}

/** Null for a missing answer; rethrows other errors, also for an address that must not be requested. */
function noAnswer(error: unknown): null {
  if (error instanceof NotSent && error.reason === null) return null
  throw error
}

function send(
  url: URL,
  { account, hosts, site }: Probing,
  { method = 'GET', headers = {} }: Partial<Get>,
): Promise<Got> {
  return get(
    url.href,
    {
      account,
      turn: hosts.turn,
      method,
      headers: { 'user-agent': userAgent(site.origin), accept: '*/*', ...headers },
      timeoutMs: TIMEOUT_MS,
      followsRedirects: false,
      wants: () => false,
    },
    { privateNetworks: site.outgoingPrivateNetworks },
  )
}

/** The target of a redirect, with the link’s fragment as in browsers; null if the answer is no redirect to a site. */
function leadsTo({ status, headers }: Head, from: URL): URL | null {
  const { location } = headers
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  // The viewer’s own program would open it: nothing suggests that it fails.
  if (!/^https?:$/.test(to.protocol)) return null
  if (to.hash === '') to.hash = from.hash
  return to
}

/**
 * Whether an answer shows that something is there. Sites that require sign-in or refuse services say so in many ways, so only
 * answers that there is no such page, or that the server fails, count as failures.
 */
function isThere({ status, headers }: Head): boolean {
  if (status === 404 || status === 410) return false
  if (status < 500 || status >= 600) return true
  const isWall = headers['cf-mitigated'] !== undefined || WALLS.test(String(headers.server ?? ''))
  return status === 503 && (isWall || headers['retry-after'] !== undefined)
}

/** Servers in front of sites that turn services away with 503. */
const WALLS = /cloudflare|akamai|ddos-guard|sucuri|imperva|incapsula|datadome/i

/** Whether `robots.txt` allows requesting a page. A host that does not answer cannot forbid it: the probe will tell. */
async function mayAsk(url: URL, probing: Probing): Promise<boolean> {
  const { hosts } = probing
  const known = await hosts.robotsOf(url.host)
  if (known !== null) return allows(known, url)
  const rules = await readRobots(new URL('/robots.txt', url), probing)
  if (rules === null) return false
  if (rules === 'no answer') return true
  await hosts.keepRobots(url.host, rules)
  return allows(rules, url)
}

const NOTHING: readonly RobotsRule[] = [[0, '/']]

/** The rules in a host’s `robots.txt`; null if it has had too many requests. */
async function readRobots(
  url: URL,
  { account, site, hosts }: Probing,
): Promise<readonly RobotsRule[] | 'no answer' | null> {
  try {
    const { status, body } = await get(
      url.href,
      {
        headers: { 'user-agent': userAgent(site.origin), accept: 'text/plain, */*;q=0.1' },
        account,
        timeoutMs: TIMEOUT_MS,
        turn: hosts.turn,
        mayLeaveTls: true,
        maxBytes: 2 * MAX_ROBOTS_BYTES,
        wants: ({ status }) => status < 300,
        isEnough: (_, bytes) => bytes >= MAX_ROBOTS_BYTES,
      },
      { privateNetworks: site.outgoingPrivateNetworks },
    )
    // RFC 9309, 2.3.1: a failing server may forbid everything; one without the file forbids nothing.
    if (status >= 500 && status < 600) return NOTHING
    return status < 300 ? await rulesIn(body.toString('utf8')) : []
  } catch (error) {
    if (error instanceof NoTurn) return null
    if (error instanceof NotSent) return 'no answer'
    throw error
  }
}

/** How much of the file is read (RFC 9309, 2.5). */
const MAX_ROBOTS_BYTES = 500 * 1024
