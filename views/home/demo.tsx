/** @jsxImportSource @kitajs/html */

import { FREE } from '../../src/launcher/filling.ts'
import { qrCode } from '../../src/launcher/qr.ts'
import { bookmarksFile } from '../launcher/bookmarks.ts'
import { Launcher } from '../launcher/launcher.tsx'
import { Document, type Site } from '../parts/layout.tsx'

const LINKS = [
  ['https://science.nasa.gov/moon/', 'The moon, tonight'],
  ['https://spotthestation.nasa.gov/', 'When the space station passes'],
  ['https://stellarium-web.org/', 'A map of the stars'],
  ['https://www.windy.com/', 'Will there be clouds?'],
] as const

/** Without a slug, so that its script tells the server of no press. */
const BUNDLE = {
  slug: '',
  title: 'Tonight’s sky',
  description: 'Four tabs for the balcony.',
  urls: LINKS.map(([url]) => url),
  urlMetadata: LINKS.map(([, note]) => ({ note })),
  variables: [],
  organization: null,
  isUnclaimed: false,
  hasRules: false,
  isProtected: false,
  isCopyable: false,
  siteIcons: {},
  rule: null,
}

const BOOKMARKS = `data:text/html;charset=utf-8;base64,${Buffer.from(bookmarksFile(BUNDLE)).toString('base64')}`

/** The last drawn: a process has one service, and all of its visitors see the same. */
let drawn: { name: string; origin: string; html: string } | null = null

/** The page in the frame, as the attribute has it. */
function pageOf({ name, origin, shortPaths }: Site): string {
  if (drawn?.name === name && drawn.origin === origin) return drawn.html
  const qr = qrCode(origin).replace('<svg ', `<svg role="img" aria-label="QR code of this service" `)
  const page = (
    <Document title={BUNDLE.title} styles="launcher.css" scripts={['launcher.js']} head={<base target="_top" />}>
      <Launcher
        site={{ name, origin, shortPaths }}
        bundle={BUNDLE}
        filling={FREE}
        unlocked={{ qr, bookmarks: BOOKMARKS }}
      />
    </Document>
  ) as string
  drawn = { name, origin, html: page.replaceAll('&', '&amp;') }
  return drawn.html
}

/**
 * A launcher to press, with its own styles and script, in a frame without an address: no page may be framed by its
 * address. It loads nothing of its sites, and not before it is scrolled to.
 */
export function Demo({ site }: { site: Site }): JSX.Element {
  return <iframe class="demo" title="A launcher to press" loading="lazy" srcdoc={pageOf(site)}></iframe>
}
