/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { Each } from '../parts/each.tsx'
import { ExactTime } from '../parts/exact-time.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

interface MailboxProps {
  site: Site
  mails: readonly { to: string; subject: string; text: string; at: Date }[]
}

/** The development mailbox: emails that would have been sent, newest first. */
export function MailboxPage({ site, mails }: MailboxProps): JSX.Element {
  return (
    <Page site={site} title={`Mailbox · ${site.name}`}>
      <h1>Mailbox</h1>
      {mails.length === 0 ? <p class="lede">No emails yet. Emails this server would send show up here.</p> : ''}
      <Each
        of={mails}
        show={({ to, subject, text, at }) => (
          <article class="card mail">
            <h2 safe>{subject}</h2>
            <p class="hint">
              {escapeHtml(`to ${to} at `)}
              <ExactTime at={at.getTime()} />
            </p>
            <p class="text">
              <Each
                of={text.split(/(https?:\/\/\S+)/)}
                show={(part, index) =>
                  index % 2 === 1 ? (
                    <a href={attribute(part)} safe>
                      {part}
                    </a>
                  ) : (
                    escapeHtml(part)
                  )
                }
              />
            </p>
          </article>
        )}
      />
    </Page>
  )
}
