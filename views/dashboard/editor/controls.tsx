/** @jsxImportSource @kitajs/html */

import { CONTENT, type ScalarName } from '../../../src/bundles/content.ts'
import { inWords, SWITCH_TEXTS } from '../../../src/bundles/values.ts'
import { isInstant } from '../../../src/core/time.ts'
import { wallTimeOf } from '../../../src/policies/instants.ts'
import { Each } from '../../parts/each.tsx'
import { described, Field, textareaContent } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { BundleForm, FormError } from './bundle-form.ts'

/** Some fields of a bundle’s form. */
export interface ControlsProps {
  names: readonly ScalarName[]
  form: BundleForm
  messageOf(field: FormError['field']): string | undefined
  /** The id of their form, if they stand outside it. */
  formId?: string
}

/** A control for each field, by its kind. */
export function Controls({ names, form, messageOf, formId }: ControlsProps): JSX.Element {
  return (
    <Each
      of={names}
      show={(name) => {
        const Control = CONTROLS[CONTENT[name].kind]
        return <Control name={name} value={form[name]} error={messageOf(name)} formId={formId} />
      }}
    />
  )
}

interface ControlProps {
  name: ScalarName
  /** As typed. */
  value: string
  error: string | undefined
  formId: string | undefined
}

const CONTROLS = { text: Text, time: Time, choice: Choice, switch: Switch } satisfies Record<
  (typeof CONTENT)[ScalarName]['kind'],
  (props: ControlProps) => JSX.Element
>

function Text({ name, value, error, formId }: ControlProps): JSX.Element {
  const { label, ...field } = CONTENT[name]
  if ('lines' in field && field.lines === 'many') {
    return (
      <Field id={name} kind="whole" label={label} note="optional" error={error}>
        <textarea
          id={name}
          name={name}
          form={formId}
          rows="2"
          placeholder=" "
          dir="auto"
          {...described(name, error)}
          safe
        >
          {textareaContent(value)}
        </textarea>
      </Field>
    )
  }
  return (
    <Field id={name} label={label} note="optional" error={error}>
      <input
        id={name}
        name={name}
        form={formId}
        value={attribute(value)}
        dir="auto"
        autocomplete="off"
        {...described(name, error)}
      />
    </Field>
  )
}

/** What it is without a time. */
const WITHOUT: Partial<Record<ScalarName, string>> = { opensAt: 'Now', closesAt: 'Never' }

/** In UTC; the script shows and sends times in the owner's time zone. */
function Time({ name, value, error, formId }: ControlProps): JSX.Element {
  return (
    <Field id={name} label={CONTENT[name].label} error={error}>
      <div class="when" data-without={WITHOUT[name]}>
        <input
          id={name}
          name={name}
          form={formId}
          type="datetime-local"
          value={attribute(wallTimeOf(value).wall)}
          data-instant={attribute(isInstant(value) ? value : '')}
          data-empty={wallTimeOf(value).wall === '' ? '' : undefined}
          autocomplete="off"
          {...described(name, error)}
        />
      </div>
    </Field>
  )
}

function Choice({ name, value, error, formId }: ControlProps): JSX.Element {
  const field = CONTENT[name]
  const options: readonly string[] = 'options' in field ? field.options : []
  return (
    <Field id={name} label={field.label} error={error}>
      <select id={name} name={name} form={formId} {...described(name, error)}>
        <Each
          of={options}
          show={(option) => (
            <option value={option} selected={option === value} safe>
              {inWords(name, option)}
            </option>
          )}
        />
      </select>
    </Field>
  )
}

/** A box that is not ticked is not sent, so what is sent then precedes it: a form without the box changes nothing. */
function Switch({ name, value, formId }: ControlProps): JSX.Element {
  const field = CONTENT[name]
  return (
    <p class="whole switch">
      <input type="hidden" name={name} form={formId} value={SWITCH_TEXTS.off} />
      <label class="choice">
        <input type="checkbox" name={name} form={formId} value={SWITCH_TEXTS.on} checked={value === SWITCH_TEXTS.on} />{' '}
        {'says' in field ? field.says : field.label}
      </label>
    </p>
  )
}
