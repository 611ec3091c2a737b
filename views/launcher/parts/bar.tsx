/** @jsxImportSource @kitajs/html */

import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import { type Filling, isComplete, qrProblem, queryOf } from '../../../src/core/template.js'
import { count } from '../../../src/core/words.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { hostsOf } from '../../parts/destination.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, type Site } from '../../parts/layout.tsx'

interface BarProps {
  site: Site
  bundle: Pick<PublicBundle, 'slug' | 'urls' | 'variables'>
  filling: Filling
  /** How many tabs the button opens. */
  openable: number
  unlocked: Unlocked | undefined
  isPreview: boolean
}

/** The other forms of a launcher, embedded in its page. */
export interface Unlocked {
  /** The QR code of its address, as SVG; null if the address is too long. */
  qr: JSX.Element | null
  /** The bookmarks file as a `data:` URL. */
  bookmarks: string
}

/** The actions for all tabs of a launcher, and their result. */
export function Bar({ site, bundle, filling, openable, unlocked, isPreview }: BarProps): JSX.Element {
  const { slug, urls, variables } = bundle
  const query = queryOf(filling)
  const { label, number } = openLabel(openable, urls.length)
  return (
    <div class="bar">
      {/* A control that needs the script is a link until the script has run (open-all.js). */}
      <a id="open" class="button primary" href="#links" hidden={openable === 0} data-count={number} safe>
        {label}
      </a>
      <a id="copy" class="quiet" href="#links">
        <Icon name="copy" />
        <span class="word">
          Copy<span> links</span>
        </span>
      </a>
      <a
        id="bookmarks"
        class="quiet"
        href={unlocked?.bookmarks ?? `${routes.launcher.bookmarks.href({ slug })}${query}`}
        download={`${slug || 'links'}.html`}
      >
        <Icon name="bookmark" />
        <span class="word">
          Bookmarks<span> file</span>
        </span>
      </a>
      <details class="qr">
        <summary class="quiet">
          <Icon name="qr" />
          <span class="word">
            QR<span> code</span>
          </span>
        </summary>
        <div>
          {/* Without scripts, browsers ignore `loading` and would load it at once. */}
          {unlocked !== undefined ? (
            (unlocked.qr ?? '')
          ) : isPreview ? (
            ''
          ) : (
            <img
              src={`${routes.launcher.qr.href({ slug })}${query}`}
              alt={QR}
              width="208"
              height="208"
              loading="lazy"
            />
          )}
          {variables.length > 0 && (
            <p id="in-qr" hidden={query === ''}>
              {(unlocked?.qr === null && qrProblem(linkOf(slug, site) + query)) || IN_QR}
            </p>
          )}
        </div>
      </details>
      {/* For print. */}
      {!isPreview && slug !== '' && (
        <p class="address" dir="ltr" safe>
          {linkOf(slug, site) + query}
        </p>
      )}
      {site.extensionUrl !== undefined && !isPreview && (
        <a id="extension" href={attribute(site.extensionUrl)} target="_blank" rel="noopener noreferrer" hidden>
          Get the extension that opens all at once
        </a>
      )}
      <p id="status" role="status" safe>
        {openSummary(urls, urls.length - openable)}
      </p>
      {!isPreview && (
        <noscript>
          <p class="hint" safe>
            {`JavaScript is off, so “Open all” won’t work here. ${isComplete(filling) ? 'You can still open each link below.' : 'Fill in the links, then open each one below.'}`}
          </p>
        </noscript>
      )}
    </div>
  )
}

/** The alternative text of the QR code. */
export const QR = 'QR code of this page’s address'

/** The text below the QR code of a filled launcher. */
const IN_QR = 'The values above are in it: whoever scans it sees them.'

/** The button's label, and the number of tabs that one press opens if it opens all. */
function openLabel(openable: number, all: number): { label: string; number?: string } {
  if (all === 1) return { label: 'Open' }
  return openable === all ? { label: 'Open all', number: String(all) } : { label: `Open ${openable} of ${all}` }
}

/** Announces what one click will open. */
function openSummary(urls: readonly string[], byHand: number): string {
  const hosts = hostsOf(urls)
  const where = hosts.length === 1 ? hosts[0] : count(hosts.length, 'site')
  const rest =
    byHand === 0 ? '' : `; ${byHand === urls.length ? 'open each one manually' : `${byHand} to open manually`}`
  return `${count(urls.length, 'tab')} on ${where}${rest}`
}
