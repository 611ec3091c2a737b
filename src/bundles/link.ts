import type { Site } from '../core/operation.ts'

/** The link to share: it opens the launcher. */
export function linkOf(slug: string, { origin }: Site): string {
  return `${origin}/l/${slug}`
}
