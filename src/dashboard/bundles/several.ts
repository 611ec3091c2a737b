import { NOT_EVERYTHING, type SkippedBundle } from '../../../views/dashboard/bundles/skipped.tsx'
import { BOUNDS } from '../../bundles/bounds.ts'
import { Problem } from '../../core/problem.ts'

/**
 * The bundles that a form is about.
 * @throws Problem BAD_REQUEST for none, or too many.
 */
export function chosenIn(form: URLSearchParams): string[] {
  const slugs = [...new Set(form.getAll('slug'))]
  if (slugs.length === 0) throw new Problem('BAD_REQUEST', 'Select at least one bundle, then try again.')
  if (slugs.length > BOUNDS.page) throw new Problem('BAD_REQUEST', `Select at most ${BOUNDS.page} bundles at once.`)
  return slugs
}

/** Acts on one bundle after another, like separate requests of one person; a refusal of one does not affect the others. */
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

/** The page that says what was left out, and why. */
export function skippedPage(skipped: readonly SkippedBundle[], view: JSX.Element) {
  return { section: 'bundles' as const, title: NOT_EVERYTHING, view, problem: skipped[0]?.problem }
}
