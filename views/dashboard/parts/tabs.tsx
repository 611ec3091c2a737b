/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'

type TabsProps = PropsWithChildren<{
  /** What the pages are about, to screen readers. */
  label: string
  /** The count of what is on one stands on the tab where there is room; its page says it in words. */
  pages: readonly { href: string; name: string; count?: number; after?: JSX.Element }[]
  /** The address of the one that is open. */
  at: string
}>

/** The pages of one thing as the tabs of a sheet, if there are several; the children are on the sheet. */
export function TabbedSheet({ label, pages, at, children }: TabsProps): JSX.Element {
  const sheet = <div class="sheet">{children}</div>
  if (pages.length < 2) return sheet
  return (
    <>
      <nav class="tabbar" aria-label={attribute(label)}>
        <Each
          of={pages}
          show={({ href, name, count = 0, after = '' }) => (
            <a href={attribute(href)} aria-current={href === at ? 'page' : undefined}>
              {escapeHtml(name)}
              {count === 0 ? '' : <span class="count" data-count={String(count)} aria-hidden="true"></span>}
              {after}
            </a>
          )}
        />
      </nav>
      {sheet}
    </>
  )
}
