import type { Config } from '../config/config.ts'
import { type LauncherLink, launcherLinkIn } from '../core/launcher-link.ts'
import { Problem } from '../core/problem.ts'
import { shortHost } from '../core/shown-url.ts'
import { EXTERNAL } from './external-id.ts'

type LinkConfig = Pick<Config, 'authority' | 'shortPaths'>

/**
 * Input whose `slug` may be whatever people and agents have of a bundle, with its slug: its link, a page of it on the
 * dashboard, a resource of MCP, or the slug as it stands in a sentence.
 * @throws Problem BAD_REQUEST for a link to another server, because a bundle here may have the same slug.
 */
export function withSlug(input: unknown, config: LinkConfig): unknown {
  const sent = (input as { slug?: unknown } | null)?.slug
  if (typeof sent !== 'string' || PLAIN.test(sent)) return input
  return { ...(input as object), slug: linkIn(sent, config).slug }
}

/** As nearly all slugs are sent. */
const PLAIN = /^[a-z0-9-]{1,64}$/

/** The link to a launcher in the place of a slug, or of a slug alone. @throws Problem BAD_REQUEST as above. */
export function linkIn(sent: string, { authority, shortPaths }: LinkConfig): LauncherLink {
  if (PLAIN.test(sent) || sent.startsWith(EXTERNAL) || sent.length > MAX_SENT) return linkOf(sent)
  const text = sent.replace(AROUND_START, '').replace(AROUND_END, '')
  const link = launcherLinkIn(asLink(text), shortPaths)
  if (link === null) return linkOf(text.toLowerCase())
  if (link.host === '' || link.host === authority) return { ...link, slug: link.slug.toLowerCase() }
  throw new Problem('BAD_REQUEST', `slug is a link to ${shortHost(link.host, 100)}, but this is ${authority}`)
}

/** Longer than any link to a bundle with its values. */
const MAX_SENT = 10_000
/** What stands around a slug in a sentence: no slug begins or ends with any of it. */
const AROUND_START = /^[\s"'`“”‘’«»<([]+/
const AROUND_END = /[\s"'`“”‘’«»>)\],;:!?.]{1,100}$/

/** Addresses of a bundle other than its launcher’s: resources of MCP, and pages of the dashboard. */
const OTHERS = /^(?:bundle:\/\/(?:l\/)?|openall:\/\/(?:l\/)?|l\/)(?=[a-z0-9])/i
const DASHBOARD = /^((?:https?:\/\/)?[^/?#]*)\/dashboard\/links\/([a-z0-9-]+)(?:[/?#].*)?$/i

function asLink(text: string): string {
  return text.replace(OTHERS, '/l/').replace(DASHBOARD, '$1/l/$2')
}

function linkOf(slug: string): LauncherLink {
  return { host: '', slug, form: null, value: null, query: new URLSearchParams() }
}
