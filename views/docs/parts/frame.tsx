/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { QUERY_CHARACTERS } from '../../../src/api/guide-search.ts'
import { routes } from '../../../src/core/routes.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Document, type Site } from '../../parts/layout.tsx'
import { asset } from '../../parts/static.ts'

const TABS = {
  guides: { path: routes.docs.guide.href({ guide: 'quick-start' }), name: 'Guides' },
  api: { path: routes.docs.reference.path, name: 'API' },
} as const

type DocsFrameProps = PropsWithChildren<{
  site: Pick<Site, 'name'>
  title: string
  tab: keyof typeof TABS
  /** The search whose results the page shows. */
  asked?: string
  /** The name of the contents for screen readers, and the label that opens them on a narrow screen. */
  contents: { label: string; opens: string }
  list: JSX.Element
  /** The content’s id, and its name in the skip link. */
  main: { id: string; name: string }
  scripts?: readonly string[]
}>

/** A page of the documentation: a sheet with a tab for each part, beside its contents. */
export function DocsFrame({
  site,
  title,
  tab,
  asked = '',
  contents,
  list,
  main,
  scripts = [],
  children,
}: DocsFrameProps): JSX.Element {
  return (
    <Document title={title} styles="docs.css" hasFace scripts={scripts} head={undefined}>
      <a class="skip" href={`#${main.id}`} safe>
        {`Skip to the ${main.name}`}
      </a>
      <header class="top cluster wide">
        <a class="brand" href="/">
          <img src={asset('icon.svg')} alt="" width="26" height="26" />
          <span safe>{site.name}</span>
        </a>
        <nav class="who" aria-label="Service">
          <a class="button" href={routes.bundles.list.href()}>
            Dashboard
          </a>
        </nav>
      </header>
      <div class="docs">
        <div class="contents">
          <search>
            <form class="look" action={routes.docs.reference.path}>
              <input
                type="search"
                name="q"
                value={attribute(asked)}
                maxlength={QUERY_CHARACTERS}
                placeholder="Search the docs"
                aria-label="Search the docs"
                required
              />
              <button type="submit" aria-label="Search">
                <Icon name="search" />
              </button>
            </form>
          </search>
          <nav aria-label={contents.label}>
            {/* Folded on narrow screens; the style sheet shows one of the two. */}
            <details>
              <summary safe>{contents.opens}</summary>
              {list}
            </details>
            <div class="beside">{list}</div>
          </nav>
        </div>
        <div class="paged">
          <nav class="tabbar" aria-label="Documentation">
            {Object.entries(TABS).map(([key, { path, name }]) => (
              <a href={path} aria-current={key === tab ? 'true' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <main class={['sheet', tab === 'guides' && 'guide']} id={main.id}>
            {children}
          </main>
        </div>
      </div>
    </Document>
  )
}
