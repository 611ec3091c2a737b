import about from '../../package.json' with { type: 'json' }
import type { Config } from '../config/config.ts'
import type { Head } from '../outgoing/exchange.ts'
import { type Get, type Got, get } from '../outgoing/request.ts'
import { type PageHead, pageHead } from './page-head.ts'

/** As far as a page is read. */
const MAX_HTML_BYTES = 256 * 1024
/** The same with all that comes before a page. */
const MAX_ANSWER_BYTES = 2 * MAX_HTML_BYTES

/** A page that was got, as far as it was read. */
export interface Page extends PageHead {
  /** After redirects. */
  url: URL
}

/** How requests for links that somebody saves name themselves: the page says what is asked for, and why. */
export function userAgent(origin: string): string {
  return `Openall/${about.version} (+${origin}/docs/checks)`
}

/**
 * Gets what a link leads to, up to the end of its head if it is a page.
 * @throws NotSent if there was no answer, or too much of it; NoTurn if none was to be had.
 */
export function getPage(
  url: string,
  { origin, outgoingPrivateNetworks: privateNetworks }: Pick<Config, 'origin' | 'outgoingPrivateNetworks'>,
  how: Pick<Get, 'account' | 'timeoutMs' | 'followsRedirects' | 'turn'>,
): Promise<Got> {
  return get(
    url,
    {
      headers: { 'user-agent': userAgent(origin), accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.1' },
      ...how,
      maxBytes: MAX_ANSWER_BYTES,
      // Nothing is sent that only TLS would protect.
      mayLeaveTls: true,
      wants: isPage,
      isEnough: endOfHead(),
    },
    { privateNetworks },
  )
}

/** What a page says of itself; null for an error, whose page is not the one that the link is for. */
export async function pageOf({ url, status, headers, body }: Got): Promise<Page | null> {
  if (status < 200 || status >= 300) return null
  return { url, ...(await pageHead(body.subarray(0, MAX_HTML_BYTES), headers['content-type'] ?? '')) }
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
