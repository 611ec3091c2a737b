/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { Site } from '../../parts/layout.tsx'
import { DocsFrame } from '../parts/frame.tsx'

interface GuideProps {
  site: Site
  /** The guide's name in its address. */
  guide: string
  /** Every guide, in reading order. */
  guides: readonly { guide: string; title: string }[]
  /** The content, from the service's own Markdown. */
  html: JSX.Element
  sections: readonly { id: string; text: string }[]
}

/** A guide: a page of `docs/`, beside the list of all guides. */
export function GuidePage({ site, guide, guides, html, sections }: GuideProps): JSX.Element {
  const title = guides.find((one) => one.guide === guide)?.title ?? guide
  const list = <Guides guide={guide} guides={guides} sections={sections} />
  return (
    <DocsFrame
      site={site}
      title={`${title} · ${site.name}`}
      tab="guides"
      contents={{ label: 'Guides', opens: 'All guides' }}
      list={list}
      main={{ id: 'guide', name: 'guide' }}
    >
      {html}
    </DocsFrame>
  )
}

function Guides({ guide, guides, sections }: Pick<GuideProps, 'guide' | 'guides' | 'sections'>): JSX.Element {
  return (
    <ul>
      {guides.map(({ guide: name, title }) => (
        <li>
          <a href={routes.docs.guide.href({ guide: name })} aria-current={name === guide ? 'page' : undefined} safe>
            {title}
          </a>
          {name === guide && sections.length > 0 && (
            <ul>
              {sections.map(({ id, text }) => (
                <li>
                  <a href={`#${id}`} safe>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  )
}
