import { createHash } from 'node:crypto'

/**
 * What is kept of the slug of a bundle that is gone, so that nobody takes it again (decisions 14): 132 bits of its SHA-256
 * after a character that no slug has.
 */
export function slugHash(slug: string): string {
  return `#${createHash('sha256').update(slug).digest('base64url').slice(0, 22)}`
}
