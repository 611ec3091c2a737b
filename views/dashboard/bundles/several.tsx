/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { BundlesLink } from '../parts/screens.tsx'
import { Head } from '../parts/shell.tsx'

/** A bundle that a bulk action could not change or export, with the reason. */
interface SkippedBundle {
  slug: string
  problem: Problem
}

interface SkippedProps {
  skipped: readonly SkippedBundle[]
  done: number
}

/** The title of these pages. */
const NOT_EVERYTHING = 'Not everything worked'

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

/** Lists the bundles that cannot be exported before exporting the others, because a download cannot report them. */
export function NotExportedView({ skipped, others }: NotExportedProps): JSX.Element {
  const rest = others.length === 0 ? '' : ` ${count(others.length, 'other bundle')} can.`
  return (
    <>
      <Head title={NOT_EVERYTHING} lede={`${count(skipped.length, 'bundle')} can’t be exported.${rest}`} />
      <SkippedRows skipped={skipped} />
      <form class="actions" method="post" action={routes.bundles.bulk.href()} hx-boost="false">
        <Each of={others} show={(slug) => <input type="hidden" name="slug" value={slug} />} />
        {others.length > 0 && (
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
              <a class="name" href={attribute(routes.bundle.edit.href({ slug }))} safe>
                {routes.launcher.page.href({ slug })}
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

/**
 * The bundles that a form names.
 * @throws Problem BAD_REQUEST for none, or too many.
 */
export function chosenIn(form: URLSearchParams): string[] {
  const slugs = [...new Set(form.getAll('slug'))]
  if (slugs.length === 0) throw new Problem('BAD_REQUEST', 'Select at least one bundle, then try again.')
  if (slugs.length > BOUNDS.page) throw new Problem('BAD_REQUEST', `Select at most ${BOUNDS.page} bundles at once.`)
  return slugs
}

/** Acts on one bundle after another, as in separate requests from one person; refusing one does not affect the others. */
export async function each<Out>(slugs: readonly string[], act: (slug: string) => Promise<Out>) {
  const [skipped, done]: [SkippedBundle[], Out[]] = [[], []]
  for (const slug of slugs) {
    try {
      done.push(await act(slug))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      skipped.push({ slug, problem: error })
    }
  }
  return { skipped, done }
}

/** The page that lists the skipped bundles with the reasons. */
export function skippedPage(skipped: readonly SkippedBundle[], view: JSX.Element) {
  return { section: 'bundles' as const, title: NOT_EVERYTHING, view, problem: skipped[0]?.problem }
}
