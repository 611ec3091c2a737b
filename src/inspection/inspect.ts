import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import about from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import { MAX_URL } from '../core/text.ts'
import type { Head } from '../outgoing/exchange.ts'
import { type Got, get } from '../outgoing/request.ts'
import { NotSent } from '../outgoing/target.ts'
import { titleOf } from './page-head.ts'
import type { InspectedLink } from './shapes.ts'

/** For a link with all its redirects. */
const TIMEOUT_MS = 4_000
/** As far as a page is read. */
const MAX_HTML_BYTES = 256 * 1024
/** The same with all that comes before a page. */
const MAX_ANSWER_BYTES = 2 * MAX_HTML_BYTES

/** Links that a process looks at at once: each may hold an answer in memory. */
const together = pLimit(64)

type Site = Pick<Config, 'origin' | 'outgoingPrivateNetworks'>

/**
 * Looks at a link as a browser would open it, without what only its viewer has. What is wrong with it is a value: whoever
 * asks must not learn more of an address than that it did not answer.
 */
export function inspect(url: string, site: Site): Promise<InspectedLink> {
  return together(() => look(url, site))
}

async function look(url: string, { origin, outgoingPrivateNetworks: privateNetworks }: Site): Promise<InspectedLink> {
  const endsAt = performance.now() + TIMEOUT_MS
  try {
    const got = await get(
      url,
      {
        headers: { 'user-agent': userAgent(origin), accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1' },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        // Nothing is sent that only TLS would protect.
        mayLeaveTls: true,
        wants: isPage,
        isEnough: endOfHead(),
      },
      { privateNetworks },
    )
    return answered(url, got)
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    if (error.reason !== null && OF_THE_TEXT.has(error.reason.code)) return unseen(url, NOT_LOOKED_AT)
    // A private address, a name that is not known and a connection that is refused take as long as silence.
    await sleep(Math.max(0, endsAt - performance.now()))
    return unseen(url, 'It did not answer: the site may be down, or not public.')
  }
}

/** With this name sites recognise requests for links that somebody saves or has saved; the page says what is asked for, and why. */
export function userAgent(origin: string): string {
  return `Openall/${about.version} (+${origin}/docs/checks)`
}

/** What is wrong with the address itself, which tells nothing of where it leads. */
const OF_THE_TEXT = new Set<string>(['scheme_not_allowed', 'credentials_in_url', 'port_not_allowed'])
const NOT_LOOKED_AT = 'It was not looked at: its address has a password, or a port that web servers do not use.'

const unseen = (url: string, problem: string): InspectedLink => {
  return { url, finalUrl: null, status: null, title: null, icon: null, problem }
}

function isPage({ headers }: Head): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  // Compressed all the same, it may be a hundred times as large.
  return /^(?:text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '') && encoding === 'identity'
}

/** Whether the head of a page has ended, told of its parts in order. */
function endOfHead(): (part: Uint8Array, bytes: number) => boolean {
  let tail = ''
  return (part, bytes) => {
    const text = tail + Buffer.from(part).toString('latin1')
    tail = text.slice(-END_OF_HEAD_LENGTH)
    return bytes >= MAX_HTML_BYTES || END_OF_HEAD.test(text)
  }
}

const END_OF_HEAD = /<\/head[\s>]|<body[\s>]/i
const END_OF_HEAD_LENGTH = '</head>'.length

function answered(url: string, { url: last, status, headers, body }: Got): InspectedLink {
  const isGood = status >= 200 && status < 300
  return {
    url,
    finalUrl: last.href.length > MAX_URL ? null : last.href,
    status,
    // The page of an error is not the one that the link is for.
    title: isGood ? titleOf(body.subarray(0, MAX_HTML_BYTES), headers['content-type'] ?? '') : null,
    icon: null,
    problem: isGood ? null : problemOf(status),
  }
}

function problemOf(status: number): string {
  if (status === 404 || status === 410) return `The site answered ${status}: there is no such page.`
  if (status >= 500) return `The site answered ${status}: something is wrong there.`
  return `The site answered ${status}: it may want you to sign in, or let no service look.`
}
