import { MAX_LINK, MAX_VALUE, UNSEEN } from './template.js'

// The command loads this, so it must not import server code.

/** Paths below a launcher's link that are not values. */
export const BELOW_LAUNCHERS: readonly string[] = [
  'bookmarks.html',
  'calendar.ics',
  'copy',
  'feed',
  'opensearch.xml',
  'picture.png',
  'qr.svg',
  'remind',
  'report',
]

/** First segments of the service's own paths that could be slugs: no launcher has such a short path. */
export const OWN_PATHS: readonly string[] = [
  'api',
  'away',
  'claim',
  'claims',
  'confirm',
  'dashboard',
  'dev',
  'device',
  'docs',
  'found',
  'healthz',
  'icons',
  'invitations',
  'login',
  'made',
  'metrics',
  'new',
  'oauth',
  'password',
  'privacy',
  'readyz',
  'sign-in',
  'sign-out',
  'sign-up',
  'signup',
  'static',
  'unsubscribe',
]

const RESERVED = /^(?:lang|format|client|utm_.*)$/

/** Whether a parameter of a launcher’s address is reserved, so that no variable can have its name. */
export function isReserved(name: string): boolean {
  return RESERVED.test(name)
}

/** A link to a launcher, in parts. */
export interface LauncherLink {
  /** In lower case, with its port; empty for a path alone. */
  host: string
  slug: string
  /** The form of the launcher, if the link names one. */
  form: 'json' | 'md' | null
  /** The value of `/l/<slug>/<value>`, or null. */
  value: string | null
  query: URLSearchParams
}

const LINK = /^(?:https?:\/\/)?([^/?#]*)\/l\/([^/?#.]+)(?:\.(json|md))?(?:\/([^/?#]*))?\/?(?:\?([^#]*))?(?:#|$)/i
/** A link with a short path. The scheme is required: `a/b` is no link. */
const SHORT = /^https?:\/\/([^/?#]+)\/([a-z0-9-]{3,64})(?:\.(json|md))?(?:\/([^/?#]*))?\/?(?:\?([^#]*))?(?:#|$)/i

/**
 * Parses a link to a launcher, which may lack its scheme, or be a path alone; null for any other text.
 * @param shortPaths whether links with a short path count too.
 */
export function launcherLinkIn(text: string, shortPaths: boolean): LauncherLink | null {
  if (text.length > MAX_LINK) return null
  const long = LINK.exec(text)
  const [, host, slug, form = null, below = '', query = ''] = long ?? (shortPaths ? SHORT.exec(text) : null) ?? []
  const value = decoded(below)
  if (host === undefined || slug === undefined || value === null) return null
  if (long === null && OWN_PATHS.includes(slug.toLowerCase())) return null
  return {
    host: host.toLowerCase(),
    slug,
    form: form as LauncherLink['form'],
    value: value === '' || BELOW_LAUNCHERS.includes(below) ? null : valueAt(value),
    query: new URLSearchParams(query),
  }
}

/** Characters that a sentence, a chat or a word processor adds at the end of an address. */
const AFTER = new RegExp(`[.,;:!?)\\]}>"'”’»\`،؛؟。，、；：！？）】」』]|${UNSEEN.source}`)
const OPENED: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
/** Longer ones are refused as values, whatever they end with. */
const MAX_TRIMMED = 2 * MAX_VALUE

/**
 * The value at the end of an address, without trailing characters of the surrounding text. A closing bracket that the value
 * opened belongs to it.
 */
export function valueAt(text: string): string {
  if (text.length > MAX_TRIMMED) return text
  const times = (letter: string) => text.split(letter).length
  let end = text.length
  const closed: Record<string, number> = {}
  for (; end > 0; end -= 1) {
    const last = text.charAt(end - 1)
    if (!AFTER.test(last)) break
    const start = OPENED[last]
    if (start === undefined) continue
    closed[last] ??= times(last) - times(start)
    if (closed[last] <= 0) break
    closed[last] -= 1
  }
  return text.slice(0, end)
}

/** The parameters of a query; the first with a name counts, as on the page. */
export function valuesOf(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].reverse())
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
