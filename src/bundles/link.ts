import type { Config } from '../config/config.ts'
import { OWN_PATHS } from '../core/launcher-link.ts'

/** What links to launchers depend on. */
export type LinkSite = Pick<Config, 'origin' | 'shortPaths'>

/** The link to share: it opens the launcher. */
export function linkOf(slug: string, { origin, shortPaths }: LinkSite): string {
  return shortPaths && !OWN_PATHS.includes(slug) ? `${origin}/${slug}` : `${origin}/l/${slug}`
}
