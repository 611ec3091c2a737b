import { Html } from '@elysiajs/html'
import type { PublicBundle } from '../src/bundles/bundles.ts'
import { attribute, Document, type Site } from './layout.tsx'

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
  const hosts = hostsOf(urls)
  const openable = urls.filter((_, index) => urlMetadata[index]?.openPolicy !== 'manual').length
  return (
    <Document
      title={`${heading} · ${site.name}`}
      styles="launcher.css"
      script="launcher.js"
      head={<OpenGraph site={site} bundle={bundle} heading={heading} />}
    >
      <main data-slug={slug} data-rule="">
        <p class="kicker" safe>{`${count(urls.length, 'tab')} · ${count(hosts.length, 'site')}`}</p>
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
        <div class="actions">
          <button type="button" id="open" class="primary" disabled={openable === 0} safe>
            {openable === urls.length ? 'Open all' : `Open ${openable} of ${urls.length} tabs`}
          </button>
          <button type="button" id="copy" class="quiet">
            Copy links
          </button>
          <a class="quiet" href={`/l/${slug}/bookmarks.html`} download={`${slug}.html`}>
            Bookmarks file
          </a>
          <details class="qr">
            <summary class="quiet">QR code</summary>
            <img
              src={`/l/${slug}/qr.svg`}
              alt="QR code of this page's address"
              width="176"
              height="176"
              loading="lazy"
            />
          </details>
        </div>
        <p id="status" role="status" aria-live="polite"></p>
        <div id="blocked" class="blocked" hidden>
          <p id="how"></p>
          <button type="button" id="rest" class="quiet">
            I have allowed them: open the rest
          </button>
        </div>
        <noscript>
          <p class="hint">JavaScript is off, so “Open all” cannot run here. Every tab below is a link.</p>
        </noscript>
        <ol class="tabs">
          {urls.map((url, index) => <Tab url={url} metadata={urlMetadata[index] ?? {}} />) as 'safe'[]}
        </ol>
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
        </footer>
      </main>
    </Document>
  )
}

function Tab({
  url,
  metadata: { note, tags = [], openPolicy },
}: {
  url: string
  metadata: PublicBundle['urlMetadata'][number]
}) {
  // The parsed form: `https:a.example` is a whole URL by itself, and a relative one in a link of an https page.
  const { href, host, pathname, search, hash } = new URL(url)
  const path = `${pathname}${search}${hash}`
  const isByHand = openPolicy === 'manual'
  return (
    <li>
      <a
        class="tab"
        href={attribute(href)}
        target="_blank"
        rel="noopener noreferrer"
        data-open={isByHand ? 'manual' : 'auto'}
      >
        <span class="mark" aria-hidden="true" safe>
          {(host.replace(/^www\./, '')[0] ?? '').toUpperCase()}
        </span>
        <span class="what">
          <span class="name" dir="auto" safe>
            {note || host}
          </span>
          <span class="where" dir="ltr" safe>
            {note ? host + (path === '/' ? '' : path) : path}
          </span>
        </span>
      </a>
      {isByHand || tags.length > 0 ? (
        <ul class="tags">
          {isByHand ? <li class="by-hand">opens by hand</li> : ''}
          {
            tags.map((tag) => (
              <li dir="auto" safe>
                {tag}
              </li>
            )) as 'safe'[]
          }
        </ul>
      ) : (
        ''
      )}
    </li>
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

function hostsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => new URL(url).host))]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
