import { escapeHtml } from '@kitajs/html'
import { linkOf } from '../../src/bundles/link.ts'
import { asSentence, count } from '../../src/core/words.ts'
import type { Change, Changes } from '../../src/launcher/changes.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { destination } from '../parts/destination.ts'
import { stressedHtml } from '../parts/emphasis.ts'
import type { Site } from '../parts/layout.tsx'
import { headingOf } from './launcher.tsx'

/**
 * An Atom feed of what changed in a launcher's tabs (RFC 4287). It names only tabs that its viewer sees now: who removes a
 * link, or a rule, does not want it read here.
 */
export function launcherFeed(
  bundle: PublicBundle,
  { createdAt, changes }: Changes,
  site: Pick<Site, 'name' | 'origin' | 'shortPaths'>,
): string {
  const page = linkOf(bundle.slug, site)
  // Readers know a feed by its id, so that it must stay when an operator switches short paths.
  const id = `${linkOf(bundle.slug, { ...site, shortPaths: false })}/feed`
  const noteOf = new Map(bundle.urls.map((url, index) => [url, bundle.urlMetadata[index]?.note ?? '']))
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${id}</id>`,
    `<title>${xml(headingOf(bundle))}</title>`,
    ...(bundle.description ? [`<subtitle type="html">${xml(stressedHtml(bundle.description))}</subtitle>`] : []),
    `<updated>${new Date(changes[0]?.at ?? createdAt).toISOString()}</updated>`,
    `<author><name>${xml(site.name)}</name></author>`,
    `<link rel="self" type="application/atom+xml" href="${page}/feed"/>`,
    `<link rel="alternate" type="text/html" href="${page}"/>`,
    ...fitting(changes, (change) =>
      [
        '<entry>',
        `<id>${id}#v${change.versionNumber}</id>`,
        `<title>${xml(summary(change))}</title>`,
        `<updated>${new Date(change.at).toISOString()}</updated>`,
        `<link rel="alternate" type="text/html" href="${page}"/>`,
        `<content type="html">${xml(details(change, noteOf))}</content>`,
        '</entry>',
      ].join('\n'),
    ),
    '</feed>',
    '',
  ].join('\n')
}

/** Characters of entries: readers ask often, and fifty changes of 25 long links would be megabytes. */
const MAX_CHARACTERS = 2 ** 17

/** The newest entries that fit, at least one. */
function fitting(changes: readonly Change[], entryOf: (change: Change) => string): string[] {
  const entries: string[] = []
  let left = MAX_CHARACTERS
  for (const change of changes) {
    const entry = entryOf(change)
    left -= entry.length
    if (left < 0 && entries.length > 0) break
    entries.push(entry)
  }
  return entries
}

function summary({ versionNumber, added, changed, removed, isReordered }: Change): string {
  if (versionNumber === 1) return `Created with ${count(added.length, 'link')}`
  const said = [
    ...(added.length > 0 ? [`${count(added.length, 'link')} added`] : []),
    ...(removed > 0 ? [`${count(removed, 'link')} removed`] : []),
    ...(changed.length > 0 ? [`${count(changed.length, 'link')} changed`] : []),
    ...(isReordered ? ['order changed'] : []),
  ].join(', ')
  return asSentence(said)
}

function details(change: Change, noteOf: ReadonlyMap<string, string>): string {
  const list = (heading: string, urls: readonly string[]) => {
    const shown = urls.filter((url) => noteOf.has(url))
    const items = shown.map((url) => `<li>${link(url, noteOf.get(url) ?? '')}</li>`)
    return items.length === 0 ? '' : `<p>${heading}:</p><ul>${items.join('')}</ul>`
  }
  return `<p>${summary(change)}.</p>${list('Added', change.added)}${list('Changed', change.changed)}`
}

function link(url: string, note: string): string {
  const { href } = destination(url)
  return `<a href="${escapeHtml(href)}">${escapeHtml(href)}</a>${note === '' ? '' : ` ${stressedHtml(note)}`}`
}

/** Text for XML, without the characters that it may not have. Not every runtime escapes `>`, of which `]]>` is not allowed. */
function xml(text: string): string {
  const allowed = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
  return escapeHtml(allowed).replaceAll('>', '&gt;')
}
