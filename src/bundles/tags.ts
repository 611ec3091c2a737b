import type { Content } from '../../db/schema.ts'

/** More than ten tags of maximum length need, quotes included. */
const MAX_TEXT = 2000
const TAG = /\s*"((?:[^"]|"")*)"|[^,;|]+/g

/**
 * Formats tags on one line, as people type them and files store them: `read first, monday`. A tag that contains a
 * separator or a quote is quoted, so that `readTags` returns the same tags, apart from surrounding space.
 */
export function writeTags(tags: readonly string[] = []): string {
  return tags.map((tag) => (/[,;|"]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

/** The distinct tags of a bundle's links, in order of first use. Pure. */
export function tagsOf({ urlMetadata }: Pick<Content, 'urlMetadata'>): string[] {
  return [...new Set(urlMetadata.flatMap(({ tags = [] }) => tags))]
}

/** Parses tags separated by commas, semicolons or bars; removes duplicates. Pure. */
export function readTags(text: string): string[] {
  const read = [...text.slice(0, MAX_TEXT).matchAll(TAG)]
    .map(([bare, quoted]) => (quoted?.replaceAll('""', '"') ?? bare).trim())
    .filter((tag) => tag !== '')
  return [...new Set(read)]
}
