/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { FORMATS } from '../../../src/imports/formats.ts'
import type { ImportedBundle, ImportPlan } from '../../../src/imports/plan.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, described, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import type { ImportForm } from './import-form.ts'
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

/** Longer lists of links are folded. */
const FEW = 8

interface PlannedProps {
  form: ImportForm
  bundle: ImportedBundle
  index: number
}

function PlannedBundle({ form, bundle, index }: PlannedProps): JSX.Element {
  const id = `title-${index}`
  const error = form.errors.get(index)
  const isShort = bundle.links.length <= FEW
  return (
    <li>
      <div class="planned">
        <input
          type="checkbox"
          name="bundle"
          value={String(index)}
          checked={form.ticked.has(String(index))}
          aria-label={`Create bundle ${index + 1}`}
        />
        <div class="field">
          <input
            id={id}
            name={id}
            value={attribute(form.titles[index] ?? '')}
            aria-label={`Title of bundle ${index + 1}`}
            placeholder="Untitled"
            dir="auto"
            autocomplete="off"
            {...described(id, error)}
          />
          <FieldError id={id} error={error} />
        </div>
        <span class="hint number" safe>
          {count(bundle.links.length, 'link') + (bundle.resolutionPolicy === undefined ? '' : ' and rules')}
        </span>
      </div>
      <details open={isShort}>
        <summary safe>{`Links of bundle ${index + 1}`}</summary>
        <ul>
          <Each
            of={bundle.links}
            show={({ url, metadata: { note = '', section = '', tags = [] } }, at) => {
              const to = destination(url)
              return (
                <li>
                  <label>
                    <input
                      type="checkbox"
                      name="link"
                      value={`${index}.${at}`}
                      checked={form.ticked.has(`${index}.${at}`)}
                    />
                    <Tile url={url} />
                    <span class="what">
                      {note === '' ? '' : <span dir="auto" safe>{`${note.split('\n')[0]} `}</span>}
                      <bdi class="hint" safe>
                        {hostText(to) + to.path}
                      </bdi>
                      {section === '' ? '' : <strong class="hint" dir="auto" safe>{` ${section}`}</strong>}
                      <Each
                        of={tags}
                        show={(tag) => (
                          <span class="tag" dir="auto" safe>
                            {tag}
                          </span>
                        )}
                      />
                    </span>
                  </label>
                </li>
              )
            }}
          />
        </ul>
      </details>
    </li>
  )
}
