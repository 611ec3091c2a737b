/** @jsxImportSource @kitajs/html */

import type { Replaced } from '../../../src/bundles/replace.ts'
import { count } from '../../../src/core/words.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, TextField } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { FormErrors } from '../parts/form.tsx'
import { Head } from '../parts/shell.tsx'

/** The form as typed, and what was found with it. */
export interface ReplaceForm {
  from: string
  to: string
  /** Null before anything was looked for; `isDone` if it has been replaced. */
  found: (Pick<Replaced, 'replaced' | 'skipped' | 'hasMore'> & { isDone: boolean }) | null
  errors: FormErrors<'from' | 'to'>
}

/** Replaces a link in all bundles, after showing where. */
export function ReplaceView({ from, to, found, errors }: ReplaceForm): JSX.Element {
  const canReplace = found !== null && !found.isDone && found.replaced.length > 0
  return (
    <>
      <Head
        title="Replace a link"
        lede="In all your bundles and their rules, a version for each. Viewers see the new link at once."
      />
      <Alert text={errors.form} />
      <form class="panel slim" method="post" action="/dashboard/replace">
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
        {found === null ? '' : <Found found={found} />}
        <div class="actions">
          <button type="submit" name="do" value="look" class={canReplace ? '' : 'primary'}>
            Show what changes
          </button>
          {canReplace ? (
            <button type="submit" name="do" value="replace" class="primary" safe>
              {`Replace in ${bundlesIn(found)}`}
            </button>
          ) : (
            ''
          )}
          <a class="quiet" href="/dashboard">
            Cancel
          </a>
        </div>
      </form>
    </>
  )
}

const bundlesIn = ({ replaced, hasMore }: NonNullable<ReplaceForm['found']>) =>
  hasMore ? `more than ${count(replaced.length, 'bundle')}` : count(replaced.length, 'bundle')

/** Bundles of each kind that are listed. */
const SHOWN = 20

function Found({ found }: { found: NonNullable<ReplaceForm['found']> }): JSX.Element {
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
      {skipped.length === 0 ? '' : <p safe>{`${count(skipped.length, 'bundle')} can’t be changed:`}</p>}
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
        <a class="name" href={attribute(`/dashboard/links/${slug}`)} safe>
          {`/l/${slug}`}
        </a>
      </div>
      <span class="hint" safe>
        {says}
      </span>
    </li>
  )
}
