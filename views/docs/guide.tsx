/** @jsxImportSource @kitajs/html */

import { Document, type Site } from '../parts/layout.tsx'
import { asset } from '../parts/static.ts'

interface GuideProps {
  site: Site
  /** The guide's name in its address. */
  guide: string
  /** Every guide, in reading order. */
  guides: readonly { guide: string; title: string }[]
  /** The guide itself, from our own Markdown. */
  html: JSX.Element
  sections: readonly { id: string; text: string }[]
}

/** A guide: a page of `docs/`, beside the list of all guides. */
export function GuidePage({ site, guide, guides, html, sections }: GuideProps): JSX.Element {
  const title = guides.find((one) => one.guide === guide)?.title ?? guide
  return (
    <Document title={`${title} · ${site.name}`} styles="docs.css" scripts={[]} head={undefined}>
      <a class="skip" href="#guide">
        Skip to the guide
      </a>
      <header class="top cluster wide">
        <a class="brand" href="/">
          <img src={asset('icon.svg')} alt="" width="26" height="26" />
          <span safe>{site.name}</span>
        </a>
        <nav class="who" aria-label="Service">
          <a class="quiet" href="/docs">
            API reference
          </a>
          <a class="quiet" href="/dashboard">
            Dashboard
          </a>
        </nav>
      </header>
      <div class="docs">
        <nav class="contents" aria-label="Guides">
          {/* Folded on narrow screens; the style sheet shows one of the two. */}
          <details>
            <summary>All guides</summary>
            <Guides guide={guide} guides={guides} sections={sections} />
          </details>
          <div class="beside">
            <Guides guide={guide} guides={guides} sections={sections} />
          </div>
        </nav>
        <main id="guide" class="guide">
          {html}
        </main>
      </div>
    </Document>
  )
}

function Guides({ guide, guides, sections }: Pick<GuideProps, 'guide' | 'guides' | 'sections'>): JSX.Element {
  return (
    <ul>
      {guides.map(({ guide: name, title }) => (
        <li>
          <a href={`/docs/${name}`} aria-current={name === guide ? 'page' : undefined} safe>
            {title}
          </a>
          {name === guide && sections.length > 0 ? (
            <ul>
              {sections.map(({ id, text }) => (
                <li>
                  <a href={`#${id}`} safe>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          ) : (
            ''
          )}
        </li>
      ))}
    </ul>
  )
}
