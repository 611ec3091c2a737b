/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { Head } from '../parts/shell.tsx'
import { Tiles } from '../parts/tiles.tsx'
import type { ImportForm } from './import-form.ts'
import { Plan } from './plan.tsx'

/** A bundle that an import has created. */
export interface ImportedRow {
  slug: string
  heading: string
  urls: readonly string[]
  /** The ID in its owner’s system that it did not get, because another bundle has it; null if it got its own or had none. */
  takenId: string | null
}

interface ImportedProps {
  made: readonly ImportedRow[]
  /** The rest of the form, if some bundles were refused. */
  form: ImportForm | null
}

/** The result of an import: bundles created and refused. */
export function ImportedPage({ made, form }: ImportedProps): JSX.Element {
  return (
    <>
      <Head title={`${count(made.length, 'bundle')} created`}>
        <a class="button" href="/dashboard/links/import">
          Import more
        </a>
        <a class={form === null ? 'button primary' : 'button'} href="/dashboard">
          See all bundles
        </a>
      </Head>
      <ul class="rows made">
        <Each
          of={made}
          show={({ slug, heading, urls, takenId }) => (
            <li class="row person">
              <Tiles urls={urls} />
              <div class="what">
                <a class="name" href={`/dashboard/links/${slug}`} dir="auto" safe>
                  {heading}
                </a>
                <bdi class="hint where" safe>{`/l/${slug}`}</bdi>
                {takenId === null ? (
                  ''
                ) : (
                  <span class="hint" dir="auto" safe>{`Without its ID, ${takenId}: another bundle has it.`}</span>
                )}
              </div>
              <span class="hint" safe>
                {count(urls.length, 'link')}
              </span>
            </li>
          )}
        />
      </ul>
      {form === null || form.plan === null ? (
        ''
      ) : (
        <form class="import" id="import" method="post" action="/dashboard/links/import">
          <h2>Not imported</h2>
          <Plan form={form} plan={form.plan} />
        </form>
      )}
    </>
  )
}
