/** @jsxImportSource @kitajs/html */

import type { Problem } from '../../../src/core/problem.ts'
import { count } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundlesLink } from '../parts/bundles-link.tsx'
import { Head } from '../parts/shell.tsx'

/** A bundle that a bulk action could not change or export, and why. */
export interface SkippedBundle {
  slug: string
  problem: Problem
}

interface SkippedProps {
  skipped: readonly SkippedBundle[]
  done: number
}

/** The title of these pages. */
export const NOT_EVERYTHING = 'Not everything worked'

/** The result of a bulk action that failed for some bundles. */
export function SkippedView({ skipped, done }: SkippedProps): JSX.Element {
  const others = done === 0 ? 'Nothing was changed.' : `${count(done, 'other bundle')} could.`
  return (
    <>
      <Head title={NOT_EVERYTHING} lede={`${count(skipped.length, 'bundle')} couldn’t be changed. ${others}`} />
      <SkippedRows skipped={skipped} />
      <p class="actions">
        <BundlesLink />
      </p>
    </>
  )
}

interface NotExportedProps extends Pick<SkippedProps, 'skipped'> {
  /** The slugs of the others, which can be exported. */
  others: readonly string[]
}

/** Says which bundles cannot be exported before exporting the rest, because a download could not say so. */
export function NotExportedView({ skipped, others }: NotExportedProps): JSX.Element {
  const rest = others.length === 0 ? '' : ` ${count(others.length, 'other bundle')} can.`
  return (
    <>
      <Head title={NOT_EVERYTHING} lede={`${count(skipped.length, 'bundle')} can’t be exported.${rest}`} />
      <SkippedRows skipped={skipped} />
      <form class="actions" method="post" action="/dashboard/bulk" hx-boost="false">
        <Each of={others} show={(slug) => <input type="hidden" name="slug" value={slug} />} />
        {others.length === 0 ? (
          ''
        ) : (
          <button type="submit" name="do" value="export" class="primary" safe>
            {`Export ${count(others.length, 'other bundle')}`}
          </button>
        )}
        <BundlesLink />
      </form>
    </>
  )
}

function SkippedRows({ skipped }: Pick<SkippedProps, 'skipped'>): JSX.Element {
  return (
    <ul class="rows" id="left">
      <Each
        of={skipped}
        show={({ slug, problem }) => (
          <li class="row">
            <div class="what">
              <a class="name" href={attribute(`/dashboard/links/${encodeURIComponent(slug)}`)} safe>
                {`/l/${slug}`}
              </a>
              <span class="hint" safe>
                {problem.userMessage}
              </span>
            </div>
          </li>
        )}
      />
    </ul>
  )
}
