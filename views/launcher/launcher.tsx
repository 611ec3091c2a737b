/** @jsxImportSource @kitajs/html */

import { count } from '../../src/core/words.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { hostsOf } from '../parts/destination.ts'
import { Icon } from '../parts/icons.tsx'
import { attribute, Document, type Site } from '../parts/layout.tsx'
import { PICTURE, pictureName, pictureWords } from './picture.ts'
import { Tab } from './tab.tsx'

interface LauncherProps {
  site: Site
  bundle: PublicBundle
}

/**
 * The launcher (decisions 5). It is complete without JavaScript: every tab is a link,
 * and controls that need the script are hidden.
 */
export function LauncherPage({ site, bundle }: LauncherProps): JSX.Element {
  const { slug, urls, urlMetadata, title, description, rule, isUnclaimed, hasRules, ...forgotten } = bundle
  // A new field that viewers may see does not compile until this page has it.
  forgotten satisfies Record<string, never>
  const heading = headingOf({ title, urls })
  const badge = rule?.badge ?? null
  const picture = pictureName(pictureWords(site.name, { title, urls, hasRules }))
  const openable = urls.filter((_, index) => urlMetadata[index]?.openPolicy !== 'manual').length
  return (
    <Document
      title={`${heading} · ${site.name}`}
      styles="launcher.css"
      scripts={['launcher.js']}
      head={<OpenGraph site={site} bundle={bundle} heading={heading} picture={picture} />}
    >
      <main data-slug={slug} data-rule={rule?.id ?? ''}>
        <h1 dir="auto" safe>
          {heading}
        </h1>
        {description ? (
          <p class="description" dir="auto" safe>
            {description}
          </p>
        ) : (
          ''
        )}
        {badge === null ? (
          ''
        ) : (
          <p class="badge" dir="auto" safe>
            {`For: ${badge}`}
          </p>
        )}
        {isUnclaimed ? <Unclaimed urls={urls} /> : ''}
        <div class="bar">
          <button type="button" id="open" class="primary" hidden={openable === 0} safe>
            {openLabel(openable, urls.length)}
          </button>
          <button type="button" id="copy" class="quiet">
            <Icon name="copy" />
            <span class="word">Copy links</span>
          </button>
          <a id="bookmarks" class="quiet" href={`/l/${slug}/bookmarks.html`} download={`${slug}.html`}>
            <Icon name="bookmark" />
            <span class="word">Bookmarks file</span>
          </a>
          <details class="qr">
            <summary class="quiet">
              <Icon name="qr" />
              <span class="word">QR code</span>
            </summary>
            <img
              src={`/l/${slug}/qr.svg`}
              alt="QR code of this page's address"
              width="208"
              height="208"
              loading="lazy"
            />
          </details>
          <p id="status" role="status" safe>
            {extent(urls, urls.length - openable)}
          </p>
          <noscript>
            <p class="hint">JavaScript is off, so “Open all” won’t work here. You can still open each link below.</p>
          </noscript>
        </div>
        <ol class="tabs">
          {urls.map((url, index) => <Tab url={url} metadata={urlMetadata[index] ?? {}} />) as 'safe'[]}
        </ol>
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
          {isUnclaimed ? <a href={`/l/${slug}/report`}>Report this page</a> : ''}
        </footer>
      </main>
    </Document>
  )
}

/** A warning for unclaimed bundles, which nobody answers for: it lists the hosts before anything opens. */
function Unclaimed({ urls }: { urls: readonly string[] }): JSX.Element {
  return (
    <p class="unclaimed">
      <span>Made without an account. These links go to </span>
      {
        hostsOf(urls).map((host, index) => (
          <>
            {index === 0 ? '' : ', '}
            <strong dir="ltr" safe>
              {host}
            </strong>
          </>
        )) as 'safe'[]
      }
      .
    </p>
  )
}

function OpenGraph({
  site,
  bundle,
  heading,
  picture,
}: LauncherProps & { heading: string; picture: string }): JSX.Element {
  const description = bundle.description ?? `${count(bundle.urls.length, 'link')}: ${hostsOf(bundle.urls).join(', ')}`
  const summary = [...description].slice(0, 200).join('')
  return (
    <>
      <meta name="description" content={attribute(summary)} />
      <meta name="robots" content="noindex" />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={attribute(site.name)} />
      <meta property="og:title" content={attribute(heading)} />
      <meta property="og:description" content={attribute(summary)} />
      <meta property="og:url" content={`${site.origin}/l/${bundle.slug}`} />
      <meta property="og:image" content={`${site.origin}/l/${bundle.slug}/picture.png?v=${picture}`} />
      <meta property="og:image:width" content={String(PICTURE.width)} />
      <meta property="og:image:height" content={String(PICTURE.height)} />
      <meta property="og:image:alt" content={attribute(heading)} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}

/** The name of a bundle: its title, otherwise its number of links. */
export function headingOf({ title, urls }: Pick<PublicBundle, 'title' | 'urls'>): string {
  return title || count(urls.length, 'link')
}

/** The button's label: how many tabs one press opens. */
function openLabel(openable: number, all: number): string {
  if (all === 1) return 'Open'
  return openable === all ? 'Open all' : `Open ${openable} of ${all} tabs`
}

/** What one press will open, shown beforehand. */
function extent(urls: readonly string[], byHand: number): string {
  const hosts = hostsOf(urls)
  const where = hosts.length === 1 ? hosts[0] : count(hosts.length, 'site')
  const rest =
    byHand === 0 ? '' : `; ${byHand === urls.length ? 'open each one manually' : `${byHand} to open manually`}`
  return `${count(urls.length, 'tab')} on ${where}${rest}`
}
