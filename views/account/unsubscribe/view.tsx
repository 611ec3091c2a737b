/** @jsxImportSource @kitajs/html */

import type { OptionalMail } from '../../../db/schema.ts'
import { routes } from '../../../src/core/routes.ts'
import { Page, type Site } from '../../parts/layout.tsx'

/** When each kind of email is sent, as the end of a sentence. */
const MAIL_OCCASIONS = {
  proposed: 'somebody sends a suggestion for a bundle that you can edit',
  decided: 'a suggestion of yours is accepted or rejected',
  keyEnds: 'one of your API keys ends in a week',
  linksBroken: 'links of bundles that you can edit are broken',
} as const satisfies Record<OptionalMail, string>

interface UnsubscribeProps {
  site: Site
  email: string
  kind: OptionalMail
  /** Whether such emails have been stopped. */
  isDone: boolean
}

/** The page of the link in an email that stops emails of its kind. */
export function UnsubscribePage({ site, email, kind, isDone }: UnsubscribeProps): JSX.Element {
  const heading = isDone ? 'You won’t get these emails' : 'Stop these emails?'
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="narrow">
        <h1>{heading}</h1>
        <p class="lede">
          <strong safe>{email}</strong>
          <span safe>{`${isDone ? ' gets no email' : ' gets an email'} when ${MAIL_OCCASIONS[kind]}.`}</span>
        </p>
        {!isDone && (
          <form method="post" class="send">
            <button type="submit" class="primary">
              Stop these emails
            </button>
          </form>
        )}
        <p class="hint">
          You choose which emails you get in your <a href={`${routes.settings.page.href()}#mails`}>settings</a>.
        </p>
      </section>
    </Page>
  )
}

/** The same for a link that stops nothing. */
export function NoUnsubscriptionPage({ site, why }: { site: Site; why: 'gone' | 'invalid' }): JSX.Element {
  const heading = why === 'gone' ? 'No emails any more' : 'This link doesn’t work'
  return (
    <Page site={site} title={`${heading} · ${site.name}`}>
      <section class="narrow">
        <h1>{heading}</h1>
        {why === 'gone' ? (
          <p class="lede">The account that these emails were for has been deleted, so there won’t be another.</p>
        ) : (
          <p class="lede">
            Copy the whole link from the email, or choose which emails you get in your{' '}
            <a href={`${routes.settings.page.href()}#mails`}>settings</a>.
          </p>
        )}
      </section>
    </Page>
  )
}
