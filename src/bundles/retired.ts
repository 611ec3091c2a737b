import { fingerprint } from '../core/hash.ts'

/**
 * What is kept of the slug of a bundle that is gone, so that nobody takes it again: its fingerprint after a
 * character that no slug has.
 */
export function slugHash(slug: string): string {
  return `#${fingerprint(slug)}`
}
