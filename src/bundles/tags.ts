/** More than ten of the longest tags take, quotes included; what is longer is no list of tags. */
const MAX_TEXT = 2000
const TAG = /\s*"((?:[^"]|"")*)"|[^,;|]+/g

/**
 * Tags in one line, as people type them and as files hold them: `read first, monday`. A tag that holds a separator
 * or a quote stands in quotes, so that `readTags` gives back what was written, save for the space around it.
 */
export function writeTags(tags: readonly string[] = []): string {
  return tags.map((tag) => (/[,;|"]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

/** Reads tags in one line, between commas, semicolons or bars; each once. Pure. */
export function readTags(text: string): string[] {
  const read = [...text.slice(0, MAX_TEXT).matchAll(TAG)]
    .map(([bare, quoted]) => (quoted?.replaceAll('""', '"') ?? bare).trim())
    .filter((tag) => tag !== '')
  return [...new Set(read)]
}
