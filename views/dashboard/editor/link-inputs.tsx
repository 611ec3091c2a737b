/** @jsxImportSource @kitajs/html */

import { LINK_NAMES, type LinkName, linkField, optionsOf } from '../../../src/bundles/link-fields.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { described, FieldError, textareaContent } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { FormError, LinkFields } from './bundle-form.ts'

interface InputsProps {
  fields: LinkFields
  /** The prefix of the fields' ids. */
  id: string
  errors: FormError[]
  isFocused: boolean
}

/** The fields of a link. */
export function LinkInputs({ fields, id, errors, isFocused }: InputsProps): JSX.Element {
  const errorOf = (field: keyof LinkFields) => errors.find((error) => error.field === field)
  const attributesOf = (name: keyof LinkFields) => {
    const error = errorOf(name)
    return { id: `${id}-${name}`, name, ...described(`${id}-${name}`, error?.says, error?.isHint) }
  }
  const inputOf = (name: LinkName) => (
    <div>
      {Input({ name, value: fields[name], attributes: attributesOf(name) })}
      <FieldError id={`${id}-${name}`} error={errorOf(name)?.says} />
    </div>
  )
  return (
    <div class="fields">
      <input
        {...attributesOf('url')}
        class="url"
        value={attribute(fields.url)}
        aria-label="Address"
        placeholder="https://"
        inputmode="url"
        dir="ltr"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        autofocus={isFocused}
      />
      <FieldError id={`${id}-url`} error={errorOf('url')?.says} isHint={errorOf('url')?.isHint} />
      <UnicodeHost url={fields.url} />
      <Each of={TEXTS} show={inputOf} />
      <div class="pair">
        <Each of={OTHERS} show={inputOf} />
      </div>
    </div>
  )
}

/** Each has a line of its own; the others share lines. */
const TEXTS = LINK_NAMES.filter((name) => linkField(name).kind === 'text')
const OTHERS = LINK_NAMES.filter((name) => linkField(name).kind !== 'text')

interface InputProps {
  name: LinkName
  /** As typed. */
  value: string
  attributes: { id: string; name: string }
}

/** The control of a field by its kind. Each is always sent, so that those of one row have the same place in their lists. */
function Input({ name, value, attributes }: InputProps): JSX.Element {
  const field = linkField(name)
  const options = optionsOf(name)
  if (options !== null) {
    return (
      <select {...attributes} aria-label={field.label}>
        <Each
          of={[...options]}
          show={([text, { option }]) => (
            <option value={text} selected={text === value} safe>
              {option}
            </option>
          )}
        />
      </select>
    )
  }
  if (field.kind === 'text' && field.lines === 'many') {
    const { label } = field
    return (
      <textarea {...attributes} class="note" rows="1" aria-label={label} placeholder={label} dir="auto" safe>
        {textareaContent(value)}
      </textarea>
    )
  }
  const isTags = field.kind === 'tags'
  return (
    <input
      {...attributes}
      value={attribute(value)}
      aria-label={isTags ? `${field.label}, separated by commas` : field.label}
      placeholder={isTags ? 'tag, tag' : field.label}
      list={name === 'section' ? 'sections' : undefined}
      dir="auto"
      autocomplete="off"
    />
  )
}

/** Where a link leads, where its address reads otherwise than browsers send it. */
function UnicodeHost({ url }: { url: string }): JSX.Element {
  const to = URL.canParse(url) ? destination(url) : null
  if (to === null || to.unicode === null) return ''
  return (
    <p class="hint leads">
      {'leads to '}
      <bdi safe>{hostText(to)}</bdi>
    </p>
  )
}
