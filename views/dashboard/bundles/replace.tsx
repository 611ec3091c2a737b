/** @jsxImportSource @kitajs/html */
import { type Replaced, replaceUrl } from '../../../src/bundles/links/replace.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { requireRole } from '../../../src/identity/caller.ts'
import { Alert, TextField } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { withFlash } from '../../parts/messages.ts'
import { type FormErrors, formErrors } from '../parts/form.tsx'
import { type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { Head } from '../parts/shell.tsx'

/** Calls per press: a person with thousands of bundles presses again. */
const MAX_CALLS = 10

/** Replaces a link in all bundles, after a preview of the changes. */
export const replaceScreens: readonly Screen[] = [
  {
    path: routes.bundles.replace.path,
    async get(visit) {
      requireRole(visit.site.user.role, 'editor')
      const [from = '', to = ''] = ['from', 'to'].map((name) => visit.query.get(name)?.trim())
      return replacePage({ from, to, found: null, errors: {} })
    },
    async post(visit, form) {
      const [from = '', to = ''] = ['from', 'to'].map((name) => form.get(name)?.trim() ?? '')
      const isLooking = form.get('do') !== 'replace'
      const { problem, ...found } = await replaceAll(visit, { from, to, dryRun: isLooking })
      const isDone = !isLooking && problem === undefined && found.skipped.length === 0 && !found.hasMore
      if (isDone)
        return { to: withFlash(`${routes.bundles.list.href()}?${new URLSearchParams({ q: to })}`, 'replaced') }
      const errors = problem === undefined ? {} : formErrors(problem, ['from', 'to'])
      // An invalid form has no results.
      const isWrong = problem !== undefined && found.replaced.length + found.skipped.length === 0
      return replacePage({ from, to, found: isWrong ? null : { ...found, isDone: !isLooking }, errors }, problem)
    },
  },
]

function replacePage(form: ReplaceForm, problem?: Problem): Outcome {
  return { section: 'bundles', title: 'Replace a link', view: <ReplaceView {...form} />, problem }
}

type Found = Omit<NonNullable<ReplaceForm['found']>, 'isDone'>

/** The replacements, made or previewed, up to the first problem. */
async function replaceAll(visit: Visit, input: Record<string, unknown>): Promise<Found & { problem?: Problem }> {
  const all: Found = { replaced: [], skipped: [], hasMore: false }
  let more: { cursor?: string } = {}
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const made = await resultOrProblem(() => run(visit, replaceUrl, { ...input, ...more }))
    if (made instanceof Problem) return { ...all, problem: made }
    all.replaced.push(...made.replaced)
    all.skipped.push(...made.skipped)
    all.hasMore = made.hasMore
    if (made.nextCursor === undefined) break
    more = { cursor: made.nextCursor }
  }
  return all
}

/** The form as typed, with its results. */
interface ReplaceForm {
  from: string
  to: string
  /** Null before the first search; `isDone` if the link has been replaced. */
  found: (Pick<Replaced, 'replaced' | 'skipped' | 'hasMore'> & { isDone: boolean }) | null
  errors: FormErrors<'from' | 'to'>
}

/** Replaces a link in all bundles, after showing where it is. */
function ReplaceView({ from, to, found, errors }: ReplaceForm): JSX.Element {
  const canReplace = found !== null && !found.isDone && found.replaced.length > 0
  return (
    <>
      <Head
        title="Replace a link"
        lede="In all your bundles and their rules, a version for each. Viewers see the new link at once."
      />
      <Alert text={errors.form} />
      <form class="panel slim" method="post" action={routes.bundles.replace.href()}>
        <TextField
          id="from"
          label="Link"
          type="url"
          value={from}
          error={errors.from}
          required
          dir="ltr"
          autofocus={from === ''}
        />
        <TextField
          id="to"
          label="Replace with"
          type="url"
          value={to}
          error={errors.to}
          required
          dir="ltr"
          autofocus={from !== '' && found === null}
        />
        <p class="hint">If both end in /, every link that begins with the first changes too.</p>
        {found !== null && <FoundLinks found={found} />}
        <div class="actions">
          <button type="submit" name="do" value="look" class={canReplace ? '' : 'primary'}>
            Show what changes
          </button>
          {canReplace && (
            <button type="submit" name="do" value="replace" class="primary" safe>
              {`Replace in ${bundlesIn(found)}`}
            </button>
          )}
          <a class="quiet" href={routes.bundles.list.href()}>
            Cancel
          </a>
        </div>
      </form>
    </>
  )
}

const bundlesIn = ({ replaced, hasMore }: NonNullable<ReplaceForm['found']>) =>
  hasMore ? `more than ${count(replaced.length, 'bundle')}` : count(replaced.length, 'bundle')

/** How many bundles of each kind are listed. */
const SHOWN = 20

function FoundLinks({ found }: { found: NonNullable<ReplaceForm['found']> }): JSX.Element {
  const { replaced, skipped, isDone, hasMore } = found
  const says = isDone
    ? `Replaced in ${count(replaced.length, 'bundle')}.${hasMore ? ' There are more: look again.' : ''}`
    : replaced.length === 0
      ? 'No bundle of yours has this link.'
      : `It is in ${bundlesIn(found)}:`
  return (
    <div id="found" role="status">
      <p safe>{says}</p>
      <ul class="rows">
        <Each
          of={isDone ? [] : replaced.slice(0, SHOWN)}
          show={({ slug, places }) => <Row slug={slug} says={count(places, 'place')} />}
        />
      </ul>
      {skipped.length > 0 && <p safe>{`${count(skipped.length, 'bundle')} can’t be changed:`}</p>}
      <ul class="rows">
        <Each of={skipped.slice(0, SHOWN)} show={({ slug, reason }) => <Row slug={slug} says={reason} />} />
      </ul>
    </div>
  )
}

function Row({ slug, says }: { slug: string; says: string }): JSX.Element {
  return (
    <li class="row">
      <div class="what">
        <a class="name" href={attribute(routes.bundle.edit.href({ slug }))} safe>
          {routes.launcher.page.href({ slug })}
        </a>
      </div>
      <span class="hint" safe>
        {says}
      </span>
    </li>
  )
}
