/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { FORMATS } from '../../../src/imports/formats.ts'
import type { ImportPlan } from '../../../src/imports/plan.ts'
import { Each } from '../../parts/each.tsx'
import { Alert } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { SuggestedTitles } from '../../parts/suggested-titles.tsx'
import type { ImportForm } from './import-form.ts'
import { PlannedBundle } from './planned-bundle.tsx'
import { Remarks } from './remarks.tsx'
import { TextField } from './text-field.tsx'

/** The bundles that a text would create; each bundle and each link can be left out. */
export function Plan({ form, plan }: { form: ImportForm; plan: ImportPlan }): JSX.Element {
  const { bundles, format } = plan
  const { skipped } = plan.counts
  const links = bundles.reduce((sum, bundle) => sum + bundle.links.length, 0)
  const ticked = bundles.filter((_, index) => form.ticked.has(String(index))).length
  return (
    <>
      {/* The default button: Enter in any field creates the bundles. */}
      <button type="submit" name="do" value="make" hidden>
        Create bundles
      </button>
      <input type="hidden" name="idempotencyKey" value={attribute(form.idempotencyKey)} />
      <input type="hidden" name="reading" value={form.reading} />
      <Alert text={form.refused} />
      <p class="summary">
        <span
          safe
        >{`Read as ${FORMATS[format]}: ${count(bundles.length, 'bundle')} with ${count(links, 'link')}. Nothing has been created yet.`}</span>
        {skipped === 0 ? (
          ''
        ) : (
          <>
            {' '}
            <a href="#left-out" safe>{`${count(skipped, 'line')} left out.`}</a>
          </>
        )}
      </p>
      <GroupsChoice form={form} plan={plan} />
      <SuggestedTitles />
      <ol class="plan">
        <Each of={bundles} show={(bundle, index) => <PlannedBundle form={form} bundle={bundle} index={index} />} />
      </ol>
      <Remarks plan={plan} />
      <details class="more" open={form.error !== null}>
        <summary>Change the text</summary>
        <TextField form={form} rows={8} />
        <p>
          <button type="submit" name="do" value="read" class="small">
            Read it again
          </button>
        </p>
      </details>
      <div class="save-bar">
        <button type="submit" name="do" value="make" class="primary" data-count-bundles="" safe>
          {`Create ${count(ticked, 'bundle')}`}
        </button>
        <a class="quiet" href="/dashboard/links/import">
          Start over
        </a>
      </div>
    </>
  )
}

/** Formats whose links are in no groups, or in bundles that are whole. */
const UNGROUPED: readonly ImportPlan['format'][] = ['list', 'json']

/** Whether groups become bundles or sections; the other way is a button. */
function GroupsChoice({
  form: { as },
  plan: { format, bundles },
}: {
  form: ImportForm
  plan: ImportPlan
}): JSX.Element {
  const other = as === 'bundles' ? 'sections' : 'bundles'
  return (
    <>
      <input type="hidden" name="as" value={as} />
      {!UNGROUPED.includes(format) && (as === 'sections' || bundles.length > 1) ? (
        <p>
          <button type="submit" name="do" value={other} class="small">
            {other === 'sections' ? 'Make one bundle with sections instead' : 'Make a bundle of each instead'}
          </button>
        </p>
      ) : (
        ''
      )}
    </>
  )
}
