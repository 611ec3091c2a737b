/** @jsxImportSource @kitajs/html */

import type { ProposalMail } from '../../../db/schema.ts'
import { Each } from '../../parts/each.tsx'

const LABELS: Record<ProposalMail, string> = {
  proposed: 'Somebody suggests a change to my bundles',
  decided: 'My suggestion was decided',
}

/** Switches for the emails that a person can do without. */
export function MailsPanel({ mails, isConfirmed }: { mails: Record<ProposalMail, boolean>; isConfirmed: boolean }) {
  return (
    <section class="panel" aria-labelledby="mails">
      <h2 id="mails">Emails</h2>
      <form class="stack" method="post" action="/dashboard/settings">
        <input type="hidden" name="change" value="mails" />
        <Each
          of={Object.keys(LABELS) as ProposalMail[]}
          show={(kind) => (
            <label class="choice">
              <input type="checkbox" name={kind} value="yes" checked={mails[kind]} />
              <span safe>{LABELS[kind]}</span>
            </label>
          )}
        />
        <p class="hint">
          {isConfirmed
            ? 'One email an hour at most for a bundle. Emails about your account’s safety always come.'
            : 'They come once your email address is confirmed.'}
        </p>
        <button type="submit">Save emails</button>
      </form>
    </section>
  )
}
