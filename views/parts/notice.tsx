/** @jsxImportSource @kitajs/html */

import { Typed } from './fields.tsx'
import { Page, type Site } from './layout.tsx'

interface NoticeProps {
  site: Site
  heading: string
  /** What happened and what to do next. */
  text: string
  /** What was typed into a form that is refused as a whole. */
  typed?: string | undefined
}

/** A page that says one thing: an error, or that there is nothing here. */
export function NoticePage({ site, heading, text, typed }: NoticeProps): JSX.Element {
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="notice">
        <h1 safe>{heading}</h1>
        <p safe>{text}</p>
        <Typed text={typed} />
        <p>
          <a class="button primary" href="/">
            Create a bundle
          </a>
        </p>
      </section>
    </Page>
  )
}
