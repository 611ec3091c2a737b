import { escapeHtml } from '@kitajs/html'
import { fingerprint } from '../../../src/core/secrets.ts'
import { headersWith, isUnchanged, JSON_TYPE, text } from '../../../src/http/respond.ts'

/** The content types of pages in other forms. */
export const FORM_TYPES = {
  markdown: 'text/markdown; charset=utf-8',
  json: JSON_TYPE,
  feed: 'application/atom+xml; charset=utf-8',
} as const

/**
 * A page in another form, for programs, which ask again cheaply by its ETag: a hash of the text alone, because a version would
 * reveal edits that readers cannot see.
 * @param marked what of the text the ETag is of; all of it by default.
 */
export function answerForm(
  request: Request,
  body: string,
  { type, headers, marked = body }: { type: string; headers: Record<string, string>; marked?: string },
): Response {
  const tag = `"${fingerprint(marked)}"`
  const tagged = { 'x-robots-tag': 'noindex', ...headers, etag: `W/${tag}` }
  if (isUnchanged(request, tag)) return new Response(null, { status: 304, headers: headersWith(tagged) })
  return text(request, body, { type, headers: tagged })
}

/** An Atom feed (RFC 4287). Titles and names are plain text; subtitles and contents are HTML. */
interface Feed {
  /** Readers identify a feed and its entries by their ids, which must survive a change of its address. */
  id: string
  title: string
  subtitle: string | null
  author: string
  self: string
  /** The page that it follows. */
  page: string
  /** In milliseconds since 1970. */
  updated: number
  /** Newest first. */
  entries: readonly Entry[]
}

interface Entry extends Pick<Feed, 'id' | 'title' | 'page' | 'updated'> {
  tags?: readonly string[]
  content: () => string
}

/** Characters of all entries: readers poll often, and fifty changes of 25 long links would be megabytes. */
const MAX_CHARACTERS = 2 ** 17

export function atomFeed({ id, title, subtitle, author, self, page, updated, entries }: Feed): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xml(id)}</id>`,
    `<title>${xml(title)}</title>`,
    ...(subtitle === null ? [] : [`<subtitle type="html">${xml(subtitle)}</subtitle>`]),
    `<updated>${new Date(updated).toISOString()}</updated>`,
    `<author><name>${xml(author)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${xml(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${xml(page)}"/>`,
    ...fitting(entries),
    '</feed>',
    '',
  ].join('\n')
}

/** The newest entries within the limit, at least one. */
function fitting(entries: readonly Entry[]): string[] {
  const fit: string[] = []
  let left = MAX_CHARACTERS
  for (const entry of entries) {
    const shown = shownEntry(entry)
    left -= shown.length
    if (left < 0 && fit.length > 0) break
    fit.push(shown)
  }
  return fit
}

function shownEntry({ id, title, updated, page, tags = [], content }: Entry): string {
  return [
    '<entry>',
    `<id>${xml(id)}</id>`,
    `<title>${xml(title)}</title>`,
    `<updated>${new Date(updated).toISOString()}</updated>`,
    `<link rel="alternate" type="text/html" href="${xml(page)}"/>`,
    ...tags.map((tag) => `<category term="${xml(tag)}"/>`),
    `<content type="html">${xml(content())}</content>`,
    '</entry>',
  ].join('\n')
}

/** Text escaped for XML, without forbidden characters. Escapes `>` too, which some runtimes omit and `]]>` requires. */
function xml(text: string): string {
  const allowed = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
  return escapeHtml(allowed).replaceAll('>', '&gt;')
}
