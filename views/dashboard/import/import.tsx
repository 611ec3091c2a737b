/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { Head } from '../parts/shell.tsx'
import type { ImportForm } from './import-form.ts'
import { Plan } from './plan.tsx'
import { Remarks } from './remarks.tsx'
import { TextField } from './text-field.tsx'

const LEDE = 'Bookmarks, CSV, Markdown, OneTab or a list of links. You see what it would make before anything is made.'

/** Bringing links from elsewhere: first the text, then what it would make. */
export function ImportPage({ form }: { form: ImportForm }): JSX.Element {
  return (
    <>
      <Head title="Import" lede={LEDE} />
      <form class="import" id="import" method="post" action="/dashboard/links/import">
        {form.plan === null || form.plan.bundles.length === 0 ? (
          <Source form={form} />
        ) : (
          <Plan form={form} plan={form.plan} />
        )}
      </form>
    </>
  )
}

function Source({ form }: { form: ImportForm }): JSX.Element {
  const { plan } = form
  return (
    <>
      <TextField form={form} rows={12} />
      <div class="save-bar">
        <button type="submit" name="do" value="read" class="primary">
          See what it makes
        </button>
        <a class="quiet" href="/dashboard">
          Cancel
        </a>
      </div>
      {plan === null ? <Formats /> : <Remarks plan={plan} />}
    </>
  )
}

function Formats(): JSX.Element {
  return (
    <section class="formats hint" aria-labelledby="formats">
      <h2 id="formats">What becomes what</h2>
      <ul>
        <li>Bookmarks of any browser, exported as HTML: each folder a bundle.</li>
        <li>CSV with a column “url”, and title, note, tags or folder beside it: each folder a bundle.</li>
        <li>Markdown: the links below each heading a bundle.</li>
        <li>OneTab: each group a bundle. A plain list: one bundle.</li>
        <li>{`More than ${BOUNDS.urls} links become several bundles.` as 'safe'}</li>
      </ul>
    </section>
  )
}
