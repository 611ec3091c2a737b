/** @jsxImportSource @kitajs/html */

import { TypedText } from './fields.tsx'
import { attribute, Page, type Site } from './layout.tsx'

interface NoticeProps {
  site: Site
  heading: string
  /** What happened and what to do next. */
  text: string
  /** The typed text of a form that was refused as a whole. */
  typed?: string | undefined
  /** What the operator finds the error by. */
  reference?: string | undefined
  /** Where to go from here. */
  next?: { href: string; label: string }
}

const NEW_BUNDLE = { href: '/', label: 'New bundle' }

/** A page with a single message, such as an error. */
export function NoticePage({ site, heading, text, typed, reference, next = NEW_BUNDLE }: NoticeProps): JSX.Element {
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="notice">
        <h1 safe>{heading}</h1>
        <p safe>{text}</p>
        <TypedText text={typed} />
        {reference === undefined ? (
          ''
        ) : (
          <p class="hint">
            If it happens again, tell whoever runs this service: <code safe>{reference}</code>
          </p>
        )}
        <p>
          <a class="button primary" href={attribute(next.href)} safe>
            {next.label}
          </a>
        </p>
      </section>
    </Page>
  )
}
