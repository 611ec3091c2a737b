import type { Config } from '../config/config.ts'

/** The link to share: it opens the launcher. */
export function linkOf(slug: string, { origin }: Pick<Config, 'origin'>): string {
  return `${origin}/l/${slug}`
}
