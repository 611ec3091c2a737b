/** @jsxImportSource @kitajs/html */

import { count } from '../../src/core/words.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { destination } from '../parts/destination.ts'
import { Icon } from '../parts/icons.tsx'
import { attribute, Document, type Site } from '../parts/layout.tsx'
import { Tab } from './tab.tsx'

interface LauncherProps {
  site: Site
  bundle: PublicBundle
}

/**
 * The page a viewer opens a bundle with (decisions 5). It works whole without JavaScript: every tab is a link,
 * and what the script adds is hidden where there is no scripting.
 */
export function LauncherPage({ site, bundle }: LauncherProps): JSX.Element {
  const { slug, urls, urlMetadata } = bundle
  const heading = headingOf(bundle)
  const badge = bundle.rule?.badge ?? null
  const openable = urls.filter((_, index) => urlMetadata[index]?.openPolicy !== 'manual').length
  return (
    <Document
      title={`${heading} · ${site.name}`}
      styles="launcher.css"
      scripts={['launcher.js']}
      head={<OpenGraph site={site} bundle={bundle} heading={heading} />}
    >
      <main data-slug={slug} data-rule={bundle.rule?.id ?? ''}>
        <h1 dir="auto" safe>
          {heading}
        </h1>
        {bundle.description ? (
          <p class="description" dir="auto" safe>
            {bundle.description}
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
        {bundle.isUnclaimed ? <Unclaimed urls={urls} /> : ''}
        <div class="bar">
          <button type="button" id="open" class="primary" hidden={openable === 0} safe>
            {openable === urls.length ? 'Open all' : `Open ${openable} of ${urls.length} tabs`}
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
            <p class="hint">JavaScript is off, so “Open all” cannot run here. Every tab below is a link.</p>
          </noscript>
        </div>
        <ol class="tabs">
          {urls.map((url, index) => <Tab url={url} metadata={urlMetadata[index] ?? {}} />) as 'safe'[]}
        </ol>
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
          {bundle.isUnclaimed ? <a href={`/l/${slug}/report`}>Report this list</a> : ''}
        </footer>
      </main>
    </Document>
  )
}

/** Nobody answers for a list that was made without an account: it says where it leads before anything opens. */
function Unclaimed({ urls }: { urls: readonly string[] }): JSX.Element {
  return (
    <p class="unclaimed">
      <span>Made without an account. It leads to </span>
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

function OpenGraph({ site, bundle, heading }: LauncherProps & { heading: string }): JSX.Element {
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
      <meta name="twitter:card" content="summary" />
    </>
  )
}

/** What a bundle is called: its title, else what it holds. */
export function headingOf({ title, urls }: Pick<PublicBundle, 'title' | 'urls'>): string {
  return title || count(urls.length, 'link')
}

/** What one press will do, told before it is made. */
function extent(urls: readonly string[], byHand: number): string {
  const hosts = hostsOf(urls)
  const where = hosts.length === 1 ? hosts[0] : count(hosts.length, 'site')
  const rest = byHand === 0 ? '' : `; ${byHand === urls.length ? 'each opens' : `${byHand} open`} by hand`
  return `${count(urls.length, 'tab')} on ${where}${rest}`
}

function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => destination(url).host))]
}
