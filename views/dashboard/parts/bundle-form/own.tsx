/** @jsxImportSource @kitajs/html */

import { aliasesIn, type SentUnversioned, type UnversionedFields } from '../../../../src/bundles/edit/unversioned.ts'
import { invalid } from '../../../../src/core/problem.ts'
import { described, FieldError, TextField, textareaContent } from '../../../parts/fields.tsx'
import { Icon } from '../../../parts/icons.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import {
  type BundleForm,
  type EditorState,
  type FormError,
  type MetadataRow,
  OWN_NAMES,
  type OwnForm,
} from './bundle-form.ts'

interface OwnProps {
  own: OwnForm
  messageOf(field: FormError['field']): string | undefined
  state: Pick<EditorState, 'focus' | 'step'>
}

/** The external ID of a bundle, and its owner's metadata: rows, the last of which is empty. */
export function Own({ own, messageOf, state: { focus, step } }: OwnProps): JSX.Element {
  const entry = entryIn(focus)
  // Empty rows disappear with the next button, not during typing.
  if (step === 'checked') return ''
  return (
    <details class="own" open={isOwnOpen({ own, messageOf, state: { focus } })}>
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

const entryIn = (focus: EditorState['focus']) => (focus !== null && 'entry' in focus ? focus.entry : null)

/** Whether there is something to see: a value, an error, or the focus. */
export function isOwnOpen({ own, messageOf, state }: Omit<OwnProps, 'state'> & { state: Pick<EditorState, 'focus'> }) {
  const isEmpty = own.externalId === '' && own.metadata.length === 1
  const fields = ['externalId', 'metadata', ...own.metadata.map((_, at) => `metadata.${at}` as const)] as const
  return !isEmpty || entryIn(state.focus) !== null || fields.some((field) => messageOf(field) !== undefined)
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

// The external ID, the metadata and the aliases in the editor’s form.

const NEW_ROW: MetadataRow = { key: '', value: '' }

/** These fields of a bundle, as typed, with an empty row at the end. */
export function ownForm({ externalId, metadata, aliases }: UnversionedFields): OwnForm {
  const rows = Object.entries(metadata ?? {}).map(([key, value]) => ({ key, value }))
  const own = { externalId: externalId ?? '', metadata: [...rows, NEW_ROW], aliases: aliasesIn(aliases).join(' ') }
  return { ...own, was: textOf(own) }
}

/**
 * The submitted fields, or the saved ones if they were not changed. A field that was not sent stays unchanged.
 * @param before the saved fields of the bundle.
 */
export function typedOwn(sent: URLSearchParams, before: OwnForm): OwnForm {
  const keys = sent.getAll(OWN_NAMES.key)
  const values = sent.getAll(OWN_NAMES.value)
  const typed = {
    externalId: sent.get(OWN_NAMES.externalId) ?? before.externalId,
    aliases: sent.get(OWN_NAMES.aliases) ?? before.aliases,
    metadata:
      keys.length === 0
        ? before.metadata
        : withNewRow(keys.map((key, at) => ({ key, value: (values[at] ?? '').replaceAll('\r\n', '\n') }))),
  }
  const was = sent.get(OWN_NAMES.was) ?? before.was
  return textOf(typed) === was ? before : { ...typed, was }
}

/** Whether these fields were changed in the form. */
export function isOwnTouched({ own }: Pick<BundleForm, 'own'>): boolean {
  return own !== null && textOf(own) !== own.was
}

/** The changes to these fields: none without edits. @throws Problem BAD_REQUEST for a duplicate key. */
export function ownOf({ own }: Pick<BundleForm, 'own'>): SentUnversioned {
  if (own === null || !isOwnTouched({ own })) return {}
  const rows = own.metadata.filter((row) => !isEmpty(row)).map(({ key, value }) => [key.trim(), value] as const)
  const keys = rows.map(([key]) => key)
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) {
    const entry = own.metadata.findIndex(({ key }) => key.trim() === twice)
    throw invalid([{ path: ['metadata', twice], reason: { code: 'key_taken', entry } }])
  }
  return {
    externalId: own.externalId.trim() || null,
    metadata: rows.length === 0 ? null : Object.fromEntries(rows),
    aliases: aliasesTyped(own),
  }
}

/** The row for the error of a key: the last row with that key. */
export function rowOf({ own }: Pick<BundleForm, 'own'>, key: string): number {
  return own === null ? -1 : own.metadata.findLastIndex((row) => row.key.trim() === key && !isEmpty(row))
}

/** The form after its button `entry`, which adds a row, or `drop-<row>`; null for another button. */
export function afterOwnButton(own: OwnForm | null, button: string): { own: OwnForm; entry: number } | null {
  if (own === null) return null
  if (button === 'entry') return { own, entry: own.metadata.length - 1 }
  const [, index] = /^drop-(\d{1,3})$/.exec(button) ?? []
  if (index === undefined) return null
  const metadata = withNewRow(own.metadata.toSpliced(Number(index), 1))
  return { own: { ...own, metadata }, entry: Math.min(Number(index), metadata.length - 1) }
}

function isEmpty({ key, value }: MetadataRow): boolean {
  return key.trim() === '' && value.trim() === ''
}

function withNewRow(rows: readonly MetadataRow[]): MetadataRow[] {
  return [...rows.filter((row) => !isEmpty(row)), NEW_ROW]
}

/** The typed slugs, with any separator; from a link, only its end. */
function aliasesTyped({ aliases }: Pick<OwnForm, 'aliases'>): string[] {
  const words = aliases.split(/[\s,;]+/).filter((word) => word !== '')
  return words.map((word) => word.slice(word.lastIndexOf('/') + 1).toLowerCase())
}

function textOf({ externalId, metadata, aliases }: Pick<OwnForm, 'externalId' | 'metadata' | 'aliases'>): string {
  const rows = metadata.filter((row) => !isEmpty(row)).map(({ key, value }) => [key, value])
  return JSON.stringify([externalId, rows, aliasesTyped({ aliases })])
}
