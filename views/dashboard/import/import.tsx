/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { Head } from '../parts/shell.tsx'
import type { ImportForm } from './import-form.ts'
import { Plan } from './plan.tsx'
import { Remarks } from './remarks.tsx'
import { TextField } from './text-field.tsx'

const LEDE =
  'Bookmarks, CSV, Markdown, the export of a tab manager, JSON or a list of links. You’ll see a preview before anything is created.'

/** The import page: first the text, then a preview of the bundles it would create. */
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
          Preview
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
      <h2 id="formats">Supported formats</h2>
      <ul>
        <li>Bookmarks from any browser, exported as HTML: each folder becomes a bundle.</li>
        <li>CSV with a “url” column, and optionally title, note, tags or folder: each folder becomes a bundle.</li>
        <li>Markdown: the links below each heading become a bundle.</li>
        <li>Folders, headings and groups can also become the sections of one bundle.</li>
        <li>JSON exported from here: every bundle as it was, rules included.</li>
        <li>
          OneTab, Toby, Workona, Session Buddy and Tab Session Manager: each group, collection, workspace or session
          becomes a bundle.
        </li>
        <li>A plain list becomes one bundle.</li>
        <li safe>{`More than ${BOUNDS.urls} links become several bundles.`}</li>
      </ul>
    </section>
  )
}
