import type { RobotsRule } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { getPage, pageOf, userAgent } from '../inspection/page.ts'
import type { Head } from '../outgoing/exchange.ts'
import { type Get, type Got, get, REDIRECTS } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { NoTurn } from '../outgoing/turns.ts'
import type { Seen } from './findings.ts'
import { allows, rulesIn } from './robots.ts'

/** For one request. */
const TIMEOUT_MS = 8_000
/** For a look with all its requests and waits; the lease of its host is longer. */
const LOOK_MS = 90_000
const MAX_REDIRECTS = 5

/** How the hosts of links are treated, which all processes agree on. */
export interface Hosts {
  /** Resolves once a site and its addresses may get a request; false if that is too far away. */
  turn: NonNullable<Get['turn']>
  /** What the `robots.txt` of a host, with its port, said within the last day; null if it has to be read. */
  robotsOf(authority: string): Promise<readonly RobotsRule[] | null>
  keepRobots(authority: string, rules: readonly RobotsRule[]): Promise<void>
}

/** What a look needs. */
export interface Looking {
  site: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>
  hosts: Hosts
  /** Whose link it is, by the id of a person or an organisation. */
  account: string
  /** The address of which the title is read, should the link have moved there; null for none. */
  titleOf: string | null
}

const UNSEEN: Seen = { kind: 'unseen' }
const GONE: Seen = { kind: 'gone' }

/** Whether something is behind a link, and where it leads: asks for its head, and only if that is refused for its beginning. */
export async function look(url: string, looking: Looking): Promise<Seen> {
  const endsAt = performance.now() + LOOK_MS
  let at = new URL(url)
  let movedTo: string | null = null
  let isForGood = true
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (performance.now() > endsAt) return UNSEEN
      const answer = await ask(at, looking)
      if (answer === null) return UNSEEN
      const to = leadsTo(answer, at)
      if (to === null) return isThere(answer) ? { kind: 'there', movedTo, ...(await titleIn(answer)) } : GONE
      isForGood &&= answer.status === 301 || answer.status === 308
      if (isForGood) movedTo = to.href
      at = to
    }
  } catch (error) {
    if (error instanceof NoTurn) return UNSEEN
    if (!(error instanceof NotSent)) throw error
  }
  return GONE
}

/** The answer of a page; null if it may not be asked for. @throws NotSent, NoTurn. */
async function ask(url: URL, looking: Looking): Promise<Got | null> {
  const { hosts, account, site, titleOf } = looking
  if (!(await mayAsk(url, looking))) return null
  if (url.href === titleOf) {
    const how = { account, turn: hosts.turn, timeoutMs: TIMEOUT_MS, followsRedirects: false }
    const page = await getPage(url.href, site, how).catch(withoutAnswer)
    if (page !== null) return page
  }
  const head = await send(url, looking, { method: 'HEAD' }).catch(withoutAnswer)
  if (head !== null && isThere(head) && head.status !== 405) return head
  // Some sites know no HEAD, and answer it with anything.
  return send(url, looking, { headers: { range: 'bytes=0-1023' } })
}

/** The title in an answer: only that of which it was to be read has a body. */
async function titleIn(answer: Got): Promise<{ title?: string | null }> {
  return answer.body.length === 0 ? {} : { title: (await pageOf(answer))?.title ?? null }
}

/** An address that must not be asked for is no missing answer. */
function withoutAnswer(error: unknown): null {
  if (error instanceof NotSent && error.reason === null) return null
  throw error
}

function send(
  url: URL,
  { account, hosts, site }: Looking,
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

/** Where an answer leads, with the fragment of the link as in browsers; null if it leads nowhere else. */
function leadsTo({ status, headers }: Head, from: URL): URL | null {
  const { location } = headers
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  // A program of whoever opens it: nothing says that it would find nothing.
  if (!/^https?:$/.test(to.protocol)) return null
  if (to.hash === '') to.hash = from.hash
  return to
}

/**
 * Whether an answer shows that something is there. Sites that want a person to sign in, or no service to look, say so in many
 * ways; only that there is no such page, or that the server fails, is taken at its word.
 */
function isThere({ status, headers }: Head): boolean {
  if (status === 404 || status === 410) return false
  if (status < 500 || status >= 600) return true
  const isWall = headers['cf-mitigated'] !== undefined || WALLS.test(String(headers.server ?? ''))
  return status === 503 && (isWall || headers['retry-after'] !== undefined)
}

/** Who stands before sites and sends services away with 503. */
const WALLS = /cloudflare|akamai|ddos-guard|sucuri|imperva|incapsula|datadome/i

/** Whether `robots.txt` lets a page be asked for. A host that does not answer cannot forbid it: the look will tell. */
async function mayAsk(url: URL, looking: Looking): Promise<boolean> {
  const { hosts } = looking
  const known = await hosts.robotsOf(url.host)
  if (known !== null) return allows(known, url)
  const rules = await readRobots(new URL('/robots.txt', url), looking)
  if (rules === null) return false
  if (rules === 'no answer') return true
  await hosts.keepRobots(url.host, rules)
  return allows(rules, url)
}

const NOTHING: readonly RobotsRule[] = [[0, '/']]

/** The rules of a host; null if it has had too many requests. */
async function readRobots(
  url: URL,
  { account, site, hosts }: Looking,
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
    // RFC 9309, 2.3.1: a server that fails may want nothing to be asked for, one without the file minds nothing.
    if (status >= 500 && status < 600) return NOTHING
    return status < 300 ? await rulesIn(body.toString('utf8')) : []
  } catch (error) {
    if (error instanceof NoTurn) return null
    if (error instanceof NotSent) return 'no answer'
    throw error
  }
}

/** As far as a file is read (RFC 9309, 2.5). */
const MAX_ROBOTS_BYTES = 500 * 1024
