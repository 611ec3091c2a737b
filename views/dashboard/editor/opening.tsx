/** @jsxImportSource @kitajs/html */

import { CONTENT, TIME_NAMES, type TimeName, type ValueName } from '../../../src/bundles/content.ts'
import { isInstant, wallTimeOf } from '../../../src/policies/instants.ts'
import { openingState } from '../../parts/exact-time.tsx'
import { described, Field, textareaContent } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { BundleForm } from './bundle-form.ts'

interface OpeningProps {
  form: BundleForm
  /** The error of a field. */
  messageOf(name: ValueName): string | undefined
}

const NAMES = [...TIME_NAMES, 'closedNote'] as const

/** When the bundle opens and closes. Times are in UTC; the script shows and sends them in the owner's time zone. */
export function Opening({ form, messageOf }: OpeningProps): JSX.Element {
  const isUsed = NAMES.some((name) => form[name] !== '' || messageOf(name) !== undefined)
  const state = openingState(form)
  return (
    <details class="whole more opening" open={isUsed}>
      <summary>
        {'Opening and closing times '}
        <span class="optional" safe>
          {state === '' ? 'optional' : state}
        </span>
      </summary>
      <div class="times">
        {TIME_NAMES.map((name) => <TimeField name={name} value={form[name]} error={messageOf(name)} />) as 'safe'[]}
        <p class="hint whole">
          {'Times are in '}
          <span class="zone">UTC</span>
          {'. Outside them, viewers can’t see the bundle. You still can.'}
        </p>
        <Field
          id="closedNote"
          kind="whole"
          label={CONTENT.closedNote.label}
          note="optional, shown once it has closed"
          error={messageOf('closedNote')}
        >
          <textarea
            id="closedNote"
            name="closedNote"
            rows="2"
            dir="auto"
            {...described('closedNote', messageOf('closedNote'))}
            safe
          >
            {textareaContent(form.closedNote)}
          </textarea>
        </Field>
      </div>
    </details>
  )
}

function TimeField({ name, value, error }: { name: TimeName; value: string; error: string | undefined }): JSX.Element {
  return (
    <Field id={name} label={CONTENT[name].label} note="optional" error={error}>
      <input
        id={name}
        name={name}
        type="datetime-local"
        value={attribute(wallTimeOf(value).wall)}
        data-instant={attribute(isInstant(value) ? value : '')}
        autocomplete="off"
        {...described(name, error)}
      />
    </Field>
  )
}
