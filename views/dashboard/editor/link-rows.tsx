/** @jsxImportSource @kitajs/html */

import { destination } from '../../parts/destination.ts'
import { described, FieldError, leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { Checked, EditorState, FormError, LinkFields } from './bundle-form.ts'

interface RowsProps {
  links: readonly LinkFields[]
  checked: Checked
  /** The prefix of the fields' ids. */
  ids: string
  focus: EditorState['focus']
}

/** Rows of the list of links. */
export function LinkRows({ links, checked, ids, focus }: RowsProps): JSX.Element {
  return (
    <>
      {
        links.map((fields, index) => (
          <LinkRow
            fields={fields}
            id={`${ids}-${index + 1}`}
            index={index}
            errors={checked.errors.filter(({ link }) => link === index)}
            focus={focus?.link === index ? focus.on : null}
          />
        )) as 'safe'[]
      }
    </>
  )
}

interface RowProps {
  fields: LinkFields
  id: string
  index: number
  errors: FormError[]
  focus: 'url' | 'up' | 'down' | null
}

function LinkRow({ fields, id, index, errors, focus }: RowProps): JSX.Element {
  const { url, note, tags, openPolicy } = fields
  const errorOf = (field: keyof LinkFields) => errors.find((error) => error.field === field)
  const says = (field: keyof LinkFields) => errorOf(field)?.says
  const field = (name: keyof LinkFields) => {
    const { 'aria-invalid': invalid, ...rest } = described(`${id}-${name}`, says(name))
    const isWrong = invalid !== undefined && errorOf(name)?.isHint === undefined
    return { id: `${id}-${name}`, name, ...(isWrong ? { 'aria-invalid': 'true' as const } : {}), ...rest }
  }
  return (
    <li class="link-row">
      <fieldset>
        <legend class="visually-hidden">{`Link ${index + 1}` as 'safe'}</legend>
        <span class="grip scripted" title="Drag to reorder">
          <Icon name="grip" />
        </span>
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
            autofocus={focus === 'url'}
          />
          <FieldError id={`${id}-url`} error={says('url')} isHint={errorOf('url')?.isHint} />
          <UnicodeHost url={url} />
          <div>
            <textarea {...field('note')} class="note" rows="1" aria-label="Note" placeholder="Note" dir="auto" safe>
              {leading(note)}
            </textarea>
            <FieldError id={`${id}-note`} error={says('note')} />
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
              <FieldError id={`${id}-tags`} error={says('tags')} />
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
        <div class="moves">
          <button type="submit" name="do" value={`up-${index}`} aria-label="Move up" autofocus={focus === 'up'}>
            <Icon name="up" />
          </button>
          <button type="submit" name="do" value={`down-${index}`} aria-label="Move down" autofocus={focus === 'down'}>
            <Icon name="down" />
          </button>
          <button type="submit" name="do" value={`remove-${index}`} aria-label="Remove">
            <Icon name="trash" />
          </button>
        </div>
      </fieldset>
    </li>
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
