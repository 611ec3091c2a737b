/** @jsxImportSource @kitajs/html */

import { destination } from '../../parts/destination.ts'
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
  const { url, note, section, tags, openPolicy } = fields
  const errorOf = (field: keyof LinkFields) => errors.find((error) => error.field === field)
  const messageOf = (field: keyof LinkFields) => errorOf(field)?.says
  const field = (name: keyof LinkFields) => {
    const { 'aria-invalid': invalid, ...rest } = described(`${id}-${name}`, messageOf(name))
    const isWrong = invalid !== undefined && errorOf(name)?.isHint === undefined
    return { id: `${id}-${name}`, name, ...(isWrong ? { 'aria-invalid': 'true' as const } : {}), ...rest }
  }
  return (
    <div class="fields">
      <input
        {...field('url')}
        class="url"
        value={attribute(url)}
        aria-label="Address"
        placeholder="https://"
        inputmode="url"
        dir="ltr"
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        autofocus={isFocused}
      />
      <FieldError id={`${id}-url`} error={messageOf('url')} isHint={errorOf('url')?.isHint} />
      <UnicodeHost url={url} />
      <div>
        <textarea {...field('note')} class="note" rows="1" aria-label="Note" placeholder="Note" dir="auto" safe>
          {textareaContent(note)}
        </textarea>
        <FieldError id={`${id}-note`} error={messageOf('note')} />
      </div>
      <div>
        <input
          {...field('section')}
          value={attribute(section)}
          aria-label="Section"
          placeholder="Section"
          list="sections"
          dir="auto"
          autocomplete="off"
        />
        <FieldError id={`${id}-section`} error={messageOf('section')} />
      </div>
      <div class="pair">
        <div>
          <input
            {...field('tags')}
            value={attribute(tags)}
            aria-label="Tags, separated by commas"
            placeholder="tag, tag"
            dir="auto"
            autocomplete="off"
          />
          <FieldError id={`${id}-tags`} error={messageOf('tags')} />
        </div>
        <select {...field('openPolicy')} aria-label="Opens">
          <option value="auto" selected={openPolicy === 'auto'}>
            With Open all
          </option>
          <option value="manual" selected={openPolicy === 'manual'}>
            Manually
          </option>
        </select>
      </div>
    </div>
  )
}

/** Where a link leads, where its address reads otherwise than browsers send it. */
function UnicodeHost({ url }: { url: string }): JSX.Element {
  const to = URL.canParse(url) ? destination(url) : null
  if (to === null || to.unicode === null) return ''
  return (
    <p class="hint leads">
      {'leads to '}
      <bdi safe>{`${to.unicode} (${to.host})`}</bdi>
    </p>
  )
}
