import { escapeHtml } from '@kitajs/html'
import { sectionsOf, writeTags } from '../../../src/bundles/links/link-fields.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { headingOf } from './launcher.tsx'

type Bookmarked = Pick<PublicBundle, 'title' | 'description' | 'urls' | 'urlMetadata'>

/**
 * A Netscape bookmarks file with one folder, which every browser can import and open as a whole, and a subfolder for each
 * section. The first line of a note names its link; the others become its description.
 */
export function bookmarksFile(bundle: Bookmarked): string {
  const items = sectionsOf(bundle).flatMap((section) =>
    section.name === ''
      ? linesOf(section)
      : [`    <DT><H3>${escapeHtml(section.name)}</H3>`, '    <DL><p>', ...linesOf(section), '    </DL><p>'],
  )
  return [
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>',
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">',
    '<TITLE>Bookmarks</TITLE>',
    '<H1>Bookmarks</H1>',
    '<DL><p>',
    `  <DT><H3>${escapeHtml(headingOf(bundle))}</H3>`,
    ...(bundle.description ? [`  <DD>${escapeHtml(bundle.description)}`] : []),
    '  <DL><p>',
    ...items,
    '  </DL><p>',
    '</DL><p>',
    '',
  ].join('\n')
}

function linesOf({ urls, urlMetadata }: Pick<Bookmarked, 'urls' | 'urlMetadata'>): string[] {
  return urls.flatMap((url, index) => {
    const { note = '', tags = [] } = urlMetadata[index] ?? {}
    const [name = '', ...rest] = note.trim().split('\n')
    const tagged = tags.length === 0 ? '' : ` TAGS="${escapeHtml(writeTags(tags))}"`
    return [
      `    <DT><A HREF="${escapeHtml(url)}"${tagged}>${escapeHtml(name || url)}</A>`,
      ...(rest.length === 0 ? [] : [`    <DD>${escapeHtml(rest.join('\n'))}`]),
    ]
  })
}
