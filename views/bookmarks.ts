import { Html } from '@elysiajs/html'
import type { PublicBundle } from '../src/bundles/served.ts'
import { headingOf } from './launcher.tsx'

/** A Netscape bookmarks file: one folder, which every browser imports and can open whole. */
export function bookmarksFile(bundle: PublicBundle): string {
  const items = bundle.urls.map((url, index) => {
    const name = bundle.urlMetadata[index]?.note || url
    return `    <DT><A HREF="${Html.escapeHtml(url)}">${Html.escapeHtml(name.replaceAll('\n', ' '))}</A>`
  })
  return [
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>',
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">',
    '<TITLE>Bookmarks</TITLE>',
    '<H1>Bookmarks</H1>',
    '<DL><p>',
    `  <DT><H3>${Html.escapeHtml(headingOf(bundle))}</H3>`,
    '  <DL><p>',
    ...items,
    '  </DL><p>',
    '</DL><p>',
    '',
  ].join('\n')
}
