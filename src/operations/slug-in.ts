import type { Config } from '../config/config.ts'
import { type LauncherLink, launcherLinkIn } from '../core/launcher-link.ts'
import { Problem } from '../core/problem.ts'
import { shortHost } from '../core/shown-url.ts'

type LinkConfig = Pick<Config, 'authority' | 'shortPaths'>

/**
 * Input whose `slug` may be a bundle’s link, with its slug: people and agents have links at hand.
 * @throws Problem BAD_REQUEST for a link to another server, because a bundle here may have the same slug.
 */
export function withSlug(input: unknown, config: LinkConfig): unknown {
  const sent = (input as { slug?: unknown } | null)?.slug
  const link = typeof sent === 'string' ? linkIn(sent, config) : null
  return link === null ? input : { ...(input as object), slug: link.slug }
}

/** The link to a launcher in the place of a slug; null if it is no link. @throws Problem BAD_REQUEST as above. */
export function linkIn(sent: string, { authority, shortPaths }: LinkConfig): LauncherLink | null {
  // No slug has a slash.
  const link = sent.includes('/') ? launcherLinkIn(sent, shortPaths) : null
  if (link === null || link.host === '' || link.host === authority) return link
  throw new Problem('BAD_REQUEST', `slug is a link to ${shortHost(link.host, 100)}, but this is ${authority}`)
}
