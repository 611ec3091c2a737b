import { escapeHtml } from '@kitajs/html'
import { writeTags } from '../../src/bundles/tags.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { headingOf } from './launcher.tsx'

type Bookmarked = Pick<PublicBundle, 'title' | 'description' | 'urls' | 'urlMetadata'>

/**
 * A Netscape bookmarks file: one folder, which every browser imports and can open whole. The first line of a note
 * names its link, the others follow as its description.
 */
export function bookmarksFile(bundle: Bookmarked): string {
  const items = bundle.urls.flatMap((url, index) => {
    const { note = '', tags = [] } = bundle.urlMetadata[index] ?? {}
    const [name = '', ...rest] = note.trim().split('\n')
    const tagged = tags.length === 0 ? '' : ` TAGS="${escapeHtml(writeTags(tags))}"`
    return [
      `    <DT><A HREF="${escapeHtml(url)}"${tagged}>${escapeHtml(name || url)}</A>`,
      ...(rest.length === 0 ? [] : [`    <DD>${escapeHtml(rest.join('\n'))}`]),
    ]
  })
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
