/** @jsxImportSource @kitajs/html */

import { LINK_NAMES, type LinkName, linkField, optionsOf } from '../../../../src/bundles/links/link-fields.ts'
import { destination, hostText } from '../../../parts/destination.ts'
import { described, FieldError, textareaContent } from '../../../parts/fields.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { type FormError, type LinkFields, NEW_LINK } from './bundle-form.ts'

interface InputsProps {
  fields: LinkFields
  /** The prefix of the fields' ids. */
  id: string
  errors: FormError[]
  /** The focused field; null for none. */
  focus: string | null
}

export function LinkInputs({ fields, id, errors, focus }: InputsProps): JSX.Element {
  const errorOf = (field: keyof LinkFields) => errors.find((error) => error.field === field)
  const attributesOf = (name: keyof LinkFields) => {
    const error = errorOf(name)
    return {
      id: `${id}-${name}`,
      name,
      autofocus: focus === name,
      ...described(`${id}-${name}`, error?.says, error?.isHint),
    }
  }
  const inputOf = (name: LinkName) => (
    <div>
      <Label name={name} id={`${id}-${name}`} />
      {Input({ name, value: fields[name], attributes: attributesOf(name) })}
      <FieldError id={`${id}-${name}`} error={errorOf(name)?.says} />
    </div>
  )
  return (
    <div class="fields">
      <label for={`${id}-url`}>Address</label>
      <input
        {...attributesOf('url')}
        class="url"
        value={attribute(fields.url)}
        placeholder="https://"
        inputmode="url"
        dir="ltr"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
      />
      <FieldError id={`${id}-url`} error={errorOf('url')?.says} isHint={errorOf('url')?.isHint} />
      <UnicodeHost url={fields.url} />
      <Each of={FIRST} show={inputOf} />
      <details class="rest" open={REST.some((name) => fields[name] !== NEW_LINK[name] || errorOf(name) !== undefined)}>
        <summary>More</summary>
        <div class="pair">
          <Each of={REST} show={inputOf} />
        </div>
      </details>
    </div>
  )
}

/** Fields with a few possible values, which most links leave as they are, are folded. */
const REST = LINK_NAMES.filter((name) => optionsOf(name) !== null)
/** Texts before tags, whose line is longer. */
const FIRST = [...LINK_NAMES.filter((name) => !REST.includes(name))].sort(
  (one, other) => Number(linkField(one).kind === 'tags') - Number(linkField(other).kind === 'tags'),
)

function Label({ name, id }: { name: LinkName; id: string }): JSX.Element {
  const { kind, label } = linkField(name)
  return (
    <label for={id}>
      <span safe>{label}</span>
      {kind === 'tags' && <span class="optional">, comma-separated</span>}
    </label>
  )
}

interface InputProps {
  name: LinkName
  /** As typed. */
  value: string
  attributes: { id: string; name: string; autofocus: boolean }
}

/** The control of a field, by its kind. Each is always sent, so that the fields of a row have the same index in their lists. */
function Input({ name, value, attributes }: InputProps): JSX.Element {
  const field = linkField(name)
  const options = optionsOf(name)
  if (options !== null) {
    return (
      <select {...attributes}>
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
    return (
      <textarea {...attributes} class="note" rows="1" dir="auto" safe>
        {textareaContent(value)}
      </textarea>
    )
  }
  return (
    <input
      {...attributes}
      value={attribute(value)}
      list={name === 'section' ? 'sections' : undefined}
      dir="auto"
      autocomplete="off"
    />
  )
}

/** The destination of a link whose host looks different from what browsers send. */
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
