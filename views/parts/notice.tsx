/** @jsxImportSource @kitajs/html */

import { TypedText } from './fields.tsx'
import { attribute, Page, type Site } from './layout.tsx'
import { NO_TABS, Stubs } from './stubs.tsx'

interface NoticeProps {
  site: Site
  /** On the tab that the message stands in: the status of an error. */
  tab?: string
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

/** A page with a single message, such as an error: a launcher without tabs. */
export function NoticePage({
  site,
  tab,
  heading,
  text,
  typed,
  reference,
  next = NEW_BUNDLE,
}: NoticeProps): JSX.Element {
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="narrow notice">
        <div class="door">
          <div class="strip">
            {tab === undefined ? (
              ''
            ) : (
              <span class="tab-name" safe>
                {tab}
              </span>
            )}
            <Stubs urls={NO_TABS} />
          </div>
          <div class="sheet">
            <h1 safe>{heading}</h1>
            <p class="lede" safe>
              {text}
            </p>
            <TypedText text={typed} />
            {reference === undefined ? (
              ''
            ) : (
              <p class="hint">
                If it happens again, tell whoever runs this service: <code safe>{reference}</code>
              </p>
            )}
            <p class="actions">
              <a class="button primary" href={attribute(next.href)} safe>
                {next.label}
              </a>
            </p>
          </div>
        </div>
      </section>
    </Page>
  )
}
