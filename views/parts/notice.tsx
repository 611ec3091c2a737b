/** @jsxImportSource @kitajs/html */

import { Page, type Site } from './layout.tsx'

interface NoticeProps {
  site: Site
  heading: string
  /** What happened and what to do next. */
  text: string
}

/** A page that says one thing: an error, or that there is nothing here. */
export function NoticePage({ site, heading, text }: NoticeProps): JSX.Element {
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="notice">
        <h1 safe>{heading}</h1>
        <p safe>{text}</p>
        <p>
          <a class="button primary" href="/">
            Make a bundle
          </a>
        </p>
      </section>
    </Page>
  )
}
