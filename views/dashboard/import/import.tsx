/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { ImportPlan } from '../../../src/imports/plan.ts'
import { Each } from '../../parts/each.tsx'
import type { Site } from '../../parts/layout.tsx'
import { Head } from '../parts/shell.tsx'
import { Bookmarklet } from './bookmarklet.tsx'
import type { ImportForm } from './import-form.ts'
import { Plan } from './plan.tsx'
import { Remarks } from './remarks.tsx'
import { TextField } from './text-field.tsx'

const LEDE =
  'Bookmarks, CSV, Markdown, the export of a tab manager, JSON or a list of links. You’ll see a preview before anything is created.'

/**
 * The import page: first the text, then a preview of the bundles it would create.
 * @param site on the page that one begins at.
 */
export function ImportPage({ form, site }: { form: ImportForm; site?: Pick<Site, 'name' | 'origin'> }): JSX.Element {
  return (
    <>
      <Head title="Import" lede={LEDE} />
      <div class="importing">
        <form class="import" id="import" method="post" action="/dashboard/links/import">
          {isPlanned(form) ? <Plan form={form} plan={form.plan} /> : <Source form={form} />}
        </form>
        {isPlanned(form) ? (
          ''
        ) : (
          <div class="stack">
            <Formats />
            {site === undefined ? '' : <Bookmarklet site={site} />}
          </div>
        )}
      </div>
    </>
  )
}

function isPlanned(form: ImportForm): form is ImportForm & { plan: ImportPlan } {
  return form.plan !== null && form.plan.bundles.length > 0
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
      {plan === null ? '' : <Remarks plan={plan} />}
    </>
  )
}

const FORMATS: readonly [name: string, becomes: string][] = [
  ['Bookmarks of any browser', 'as HTML: a bundle of each folder'],
  ['OneTab, Toby, Workona, Session Buddy, Tab Session Manager', 'a bundle of each group'],
  ['Markdown', 'a bundle of each heading'],
  ['CSV', 'with a “url” column, and if you like title, note, tags and folder'],
  ['JSON exported from here', 'every bundle as it was, rules included'],
  ['Any list', `a bundle, or several for more than ${BOUNDS.urls} links`],
]

function Formats(): JSX.Element {
  return (
    <section aria-labelledby="formats">
      <h2 id="formats">What it reads</h2>
      <dl class="formats">
        <Each
          of={FORMATS}
          show={([name, becomes]) => (
            <div>
              <dt safe>{name}</dt>
              <dd class="hint" safe>
                {becomes}
              </dd>
            </div>
          )}
        />
      </dl>
      <p class="hint">Folders, headings and groups can also become the sections of one bundle.</p>
    </section>
  )
}
