import type { Config } from '../config/config.ts'
import { Problem } from '../core/problem.ts'

const LINK = /^(?:https?:\/\/)?([^/?#]*)\/l\/([^/?#]+)\/?(?:[?#]|$)/i
/** Longer than any link. */
const MAX_LINK = 2048

/**
 * Input whose `slug` may be a bundle’s link, with its slug: people and agents have links at hand.
 * @throws Problem BAD_REQUEST for a link to another server, because a bundle here may have the same slug.
 */
export function withSlug(input: unknown, { authority }: Pick<Config, 'authority'>): unknown {
  const sent = (input as { slug?: unknown } | null)?.slug
  // No slug has a slash.
  if (typeof sent !== 'string' || !sent.includes('/') || sent.length > MAX_LINK) return input
  const [, host = '', slug] = LINK.exec(sent) ?? []
  if (slug === undefined) return input
  if (host !== '' && host.toLowerCase() !== authority) {
    throw new Problem('BAD_REQUEST', `slug is a link to ${host.slice(0, 100)}, but this is ${authority}`)
  }
  return { ...(input as object), slug }
}
