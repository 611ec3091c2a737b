import { MAX_LINK } from './template.js'

// The command loads this, so it must not import server code.

/** What a launcher has below its link besides `/l/<slug>/<value>`: these are no values. */
export const BELOW_LAUNCHERS: readonly string[] = [
  'bookmarks.html',
  'copy',
  'feed',
  'opensearch.xml',
  'picture.png',
  'qr.svg',
  'report',
]

/** Where the service has pages of its own, of what could be slugs: no launcher is at such a short path. */
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

/** Whether a parameter of a launcher’s address means something else, so that no variable can have its name. */
export function isReserved(name: string): boolean {
  return RESERVED.test(name)
}

/** A link to a launcher, in parts. */
export interface LauncherLink {
  /** With its port, in lower case; empty for a path alone. */
  host: string
  slug: string
  /** Which form of the launcher it names, if any. */
  form: 'json' | 'md' | null
  /** The value of `/l/<slug>/<value>`, or null. */
  value: string | null
  query: URLSearchParams
}

const LINK = /^(?:https?:\/\/)?([^/?#]*)\/l\/([^/?#.]+)(?:\.(json|md))?(?:\/([^/?#]*))?\/?(?:\?([^#]*))?(?:#|$)/i
/** A link with a short path. Only with its scheme: `a/b` is no link. */
const SHORT = /^https?:\/\/([^/?#]+)\/([a-z0-9-]{3,64})(?:\.(json|md))?(?:\/([^/?#]*))?\/?(?:\?([^#]*))?(?:#|$)/i

/**
 * The parts of a link to a launcher, which may lack its scheme, or be a path alone; null for any other text.
 * @param shortPaths whether a link with a short path is one too.
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
    value: value === '' || BELOW_LAUNCHERS.includes(below) ? null : value,
    query: new URLSearchParams(query),
  }
}

/** The parameters of a query; of several of one name the first counts, as on the page. */
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
