/** @jsxImportSource @kitajs/html */

import { Each } from '../../parts/each.tsx'
import { described, FieldError, TextField, textareaContent } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type EditorState, type FormError, type MetadataRow, OWN_NAMES, type OwnForm } from './bundle-form.ts'

interface OwnProps {
  own: OwnForm
  messageOf(field: FormError['field']): string | undefined
  focus: EditorState['focus']
}

/** The ID that another system has for a bundle, and texts of its owner’s own: rows, of which the last is empty. */
export function Own({ own, messageOf, focus }: OwnProps): JSX.Element {
  const entry = focus !== null && 'entry' in focus ? focus.entry : null
  const wrong = [messageOf('externalId'), messageOf('metadata')]
  const isEmpty = own.externalId === '' && own.metadata.length === 1
  const isWrong = wrong.some((says) => says !== undefined) || own.metadata.some((_, at) => messageOf(`metadata.${at}`))
  return (
    <details class="own" open={!isEmpty || isWrong || entry !== null}>
      <summary>ID and metadata</summary>
      <p class="hint">For you and your programs. Viewers and copies get neither.</p>
      <input type="hidden" name={OWN_NAMES.was} value={attribute(own.was)} />
      <TextField
        id={OWN_NAMES.externalId}
        label="ID in your own system"
        note="optional"
        value={own.externalId}
        error={messageOf('externalId')}
        dir="auto"
        autocomplete="off"
        spellcheck="false"
      />
      <fieldset {...described('metadata', messageOf('metadata'))}>
        <legend>Metadata</legend>
        <ul>
          <Each
            of={own.metadata}
            show={(row, at) => <Entry row={row} at={at} error={messageOf(`metadata.${at}`)} isFocused={entry === at} />}
          />
        </ul>
        <FieldError id="metadata" error={messageOf('metadata')} />
        <button type="submit" name="do" value="entry" class="quiet small">
          <Icon name="plus" />
          Add entry
        </button>
      </fieldset>
    </details>
  )
}

interface EntryProps {
  row: MetadataRow
  at: number
  error: string | undefined
  isFocused: boolean
}

function Entry({ row, at, error, isFocused }: EntryProps): JSX.Element {
  const id = `metadata.${at}`
  return (
    <li>
      <label class="visually-hidden" for={id} safe>{`Key of entry ${at + 1}`}</label>
      <input
        id={id}
        name={OWN_NAMES.key}
        value={attribute(row.key)}
        placeholder="Key"
        dir="ltr"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        autofocus={isFocused}
        {...described(id, error)}
      />
      <label class="visually-hidden" for={`${id}.value`} safe>{`Text of entry ${at + 1}`}</label>
      <textarea id={`${id}.value`} name={OWN_NAMES.value} rows="1" placeholder="Text" dir="auto" safe>
        {textareaContent(row.value)}
      </textarea>
      <button type="submit" name="do" value={`drop-${at}`} class="quiet small" aria-label={`Remove entry ${at + 1}`}>
        <Icon name="trash" />
      </button>
      <FieldError id={id} error={error} />
    </li>
  )
}
