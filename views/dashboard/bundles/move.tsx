/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { count } from '../../../src/core/words.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { Each } from '../../parts/each.tsx'
import { FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { FormPage } from '../parts/form.tsx'
import type { Receiver } from '../parts/receivers.ts'

/** What moving means, said before it is done. */
const MEANING =
  'The link, versions, counts and rules stay as they are. From then on only the new owner’s members see and edit it here, and only they see a launcher that is for members.'

interface MoveProps {
  /** What is moved, as a title names it. */
  what: string
  /** Of bundles chosen in the list, which the form sends on. */
  slugs: readonly string[]
  receivers: readonly Receiver[]
  action: string
  back: string
  /** The query of the list to go back to. */
  query?: string
  error: string | undefined
}

/** Asks whom to move bundles to. */
export function MoveView({ what, slugs, receivers, action, back, query, error }: MoveProps): JSX.Element {
  const isOnly = receivers.length === 1
  return (
    <FormPage title={`Move ${what}`} lede={MEANING} error={error} action={action} button="Move" back={back}>
      {query === undefined ? '' : <input type="hidden" name="back" value={attribute(query)} />}
      {query === undefined ? '' : <input type="hidden" name="do" value="move" />}
      <Each of={slugs} show={(slug) => <input type="hidden" name="slug" value={attribute(slug)} />} />
      <fieldset class="field">
        <legend>Move to</legend>
        <Each
          of={receivers}
          show={({ value, name }) => (
            <label class="choice">
              <input type="radio" name="to" value={attribute(value)} required checked={isOnly} />
              <bdi safe>{name}</bdi>
            </label>
          )}
        />
      </fieldset>
    </FormPage>
  )
}

interface MoveInProps {
  organization: { id: string; name: string }
  /** The visitor’s own bundles. */
  bundles: readonly StoredBundle[]
  hasMore: boolean
  error: string | undefined
}

/** Asks which of one’s own bundles move into an organisation. */
export function MoveInView({ organization: { id, name }, bundles, hasMore, error }: MoveInProps): JSX.Element {
  return (
    <FormPage
      title={`Move bundles to ${name}`}
      lede={MEANING}
      error={undefined}
      action={`/dashboard/organizations/${id}/move`}
      button="Move selected bundles"
      back={`/dashboard/organizations/${id}`}
    >
      <fieldset class="field">
        <legend>Your personal bundles</legend>
        <Each
          of={bundles}
          show={(bundle) => (
            <label class="choice">
              <input type="checkbox" name="slug" value={attribute(bundle.slug)} />
              <span>
                <strong dir="auto" safe>
                  {headingOf(bundle)}
                </strong>{' '}
                <span class="hint" safe>
                  {`/l/${bundle.slug}`}
                </span>
              </span>
            </label>
          )}
        />
        <FieldError id="slug" error={error} />
        {hasMore ? <p class="hint" safe>{`These are your newest ${count(bundles.length, 'bundle')}.`}</p> : ''}
      </fieldset>
    </FormPage>
  )
}
