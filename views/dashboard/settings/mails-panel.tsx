/** @jsxImportSource @kitajs/html */

import type { OptionalMail } from '../../../db/schema.ts'
import { Each } from '../../parts/each.tsx'

const LABELS: [OptionalMail, string][] = [
  ['proposed', 'Somebody sends a suggestion for my bundles'],
  ['decided', 'My suggestion was accepted or rejected'],
  ['keyEnds', 'One of my API keys ends in a week'],
  ['linksBroken', 'Links of a bundle I can edit are broken'],
]

/** Switches for the emails that a person can do without. */
export function MailsPanel({ mails, isConfirmed }: { mails: Record<OptionalMail, boolean>; isConfirmed: boolean }) {
  return (
    <section class="panel" aria-labelledby="mails">
      <h2 id="mails">Emails</h2>
      <form class="stack" method="post" action="/dashboard/settings">
        <input type="hidden" name="change" value="mails" />
        <fieldset class="field">
          <legend>Email me when</legend>
          <Each
            of={LABELS}
            show={([kind, label]) => (
              <label class="choice">
                <input type="checkbox" name={kind} value="yes" checked={mails[kind]} />
                <span safe>{label}</span>
              </label>
            )}
          />
          <p class="hint">
            {isConfirmed
              ? 'At most one email an hour for a bundle. Emails about your account’s safety always come.'
              : 'They come once your email address is confirmed.'}
          </p>
        </fieldset>
        <div class="actions">
          <button type="submit">Save emails</button>
        </div>
      </form>
    </section>
  )
}
