import { NotFoundError } from 'elysia'
import { loadFor } from '../../../src/bundles/edit/bundles.ts'
import { ChosenSlug } from '../../../src/bundles/edit/unversioned.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { BELOW_LAUNCHERS, OWN_PATHS, valueAt } from '../../../src/core/launcher-link.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { encodeValue } from '../../../src/core/template.js'
import { clientOrigin, pathIn } from '../../../src/http/request.ts'
import { headersWith } from '../../../src/http/respond.ts'
import { identify } from '../../../src/identity/caller.ts'
import { slugThat } from '../../../src/launcher/served.ts'

// Links copied from paper, a sentence, a chat, or a phone that capitalises words.

/** Longer than any slug with its ending and punctuation; longer parts of a path belong to no link. */
const MAX_PART = 200

/** The intended target of a link that matches nothing. */
interface Meant {
  slug: string
  /** The ending of the form: `.json`, `.md` or `''`. */
  ending: string
  /** The path below the launcher, with its slash; else `''`. */
  below: string
  /** As sent. */
  path: string
  /** With its question mark; else `''`. */
  query: string
  /** Whether it ends in a plus sign, which stands for the bundle’s page on the dashboard. */
  isForEditing: boolean
}

/**
 * Redirects a viewer from a mistyped link to its intended target. Counts nothing; the target decides who may see the bundle. Null
 * for a link to nothing, and for any other error. An existing slug never comes here.
 */
export async function ledOn(error: unknown, request: Request, service: Service): Promise<Response | null> {
  const isMiss = error instanceof NotFoundError || (error instanceof Problem && error.code === 'NOT_FOUND')
  if (!isMiss || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  const { config, store } = service
  const meant = meantLink(request.url, config.shortPaths)
  if (meant === null) return null
  const slug = await slugThat(store.db, meant.slug)
  const { ending, below, path, query, isForEditing } = meant
  if (slug === null || path === `${routes.launcher.page.href({ slug })}${ending}${below}`) return null
  const location =
    isForEditing && (await mayRead(request, slug, service))
      ? `${config.origin}${routes.bundle.edit.href({ slug })}`
      : `${linkOf(slug, config)}${ending}${below}${query}`
  const headers = { location, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }
  return new Response(null, { status: 307, headers: headersWith(headers) })
}

/** The intended link in a URL; null if no bundle can have it. */
function meantLink(url: string, shortPaths: boolean): Meant | null {
  const [, path = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(pathIn(url)) ?? []
  const parts = path
    .slice(0, 4 * MAX_PART)
    .split('/')
    .filter((part) => part !== '')
  const isLong = parts[0]?.toLowerCase() === 'l'
  if (isLong) parts.shift()
  const [part, tail = '', ...more] = parts
  if (part === undefined || more.length > 0 || part.length > MAX_PART || path.length > 4 * MAX_PART) return null
  if (!isLong && !shortPaths) return null
  const [bare, after] = dropMarks(decodeURIComponent(part))
  const [, name = bare, ending = ''] = /^(.*)(\.(?:md|json))$/.exec(bare) ?? []
  const [slug, between] = dropMarks(name)
  if (!ChosenSlug.allows(slug) || (!isLong && OWN_PATHS.includes(slug))) return null
  const meant = belowMeant(tail)
  const below = meant === '' ? '' : `/${meant}`
  const isForEditing = ending === '' && below === '' && (after + between).includes('+')
  return { slug, ending, below, path: path.replace(/\/$/, ''), query, isForEditing }
}

/**
 * A sign, or half of one, at the end of a text behind a link. Hyphens are excluded: there, an address was broken off, and the
 * remainder could be somebody else’s slug.
 */
const MARK = /(?!-)[\p{P}\p{S}\p{Z}\p{Cf}\p{Cs}]/u

/** A text in lower case without the punctuation, symbols and invisible characters at its end, and those characters. */
function dropMarks(text: string): [bare: string, marks: string] {
  let end = text.length
  while (end > 0 && MARK.test(text.charAt(end - 1))) end -= 1
  return [text.slice(0, end).toLowerCase(), text.slice(end)]
}

/** The path below a launcher, encoded: one of its other addresses, or a value. */
function belowMeant(tail: string): string {
  const sent = decodeURIComponent(tail)
  const [bare] = dropMarks(sent)
  if (BELOW_LAUNCHERS.includes(bare)) return bare
  const value = valueAt(sent)
  return value === sent ? tail : encodeValue(value)
}

/** Whether a signed-in visitor may read a bundle on the dashboard. */
async function mayRead(request: Request, slug: string, service: Service): Promise<boolean> {
  if (!request.headers.has('cookie')) return false
  // Without an API key, which is for programs.
  const cookie = new Headers({ cookie: request.headers.get('cookie') ?? '' })
  const caller = await identify(cookie, clientOrigin(request), service)
  if (caller.kind !== 'session') return false
  try {
    await loadFor(service.store.db, caller, slug, 'viewer')
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
