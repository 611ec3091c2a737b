import {
  type BundleForm,
  type MetadataRow,
  OWN_NAMES,
  type OwnForm,
} from '../../../views/dashboard/editor/bundle-form.ts'
import type { OwnFields, SentOwn } from '../../bundles/own-fields.ts'
import { invalid } from '../../core/problem.ts'

// The ID and the metadata of the editor’s form.

const NEW_ROW: MetadataRow = { key: '', value: '' }

/** Those of a bundle in its form, with an empty row at the end. */
export function ownForm({ externalId, metadata }: OwnFields): OwnForm {
  const rows = Object.entries(metadata ?? {}).map(([key, value]) => ({ key, value }))
  const own = { externalId: externalId ?? '', metadata: [...rows, NEW_ROW] }
  return { ...own, was: textOf(own) }
}

/**
 * Those that were sent, as they are saved if nobody touched them. A field that was not sent stays as it was.
 * @param before those of the bundle as it is saved.
 */
export function typedOwn(sent: URLSearchParams, before: OwnForm): OwnForm {
  const keys = sent.getAll(OWN_NAMES.key)
  const values = sent.getAll(OWN_NAMES.value)
  const typed = {
    externalId: sent.get(OWN_NAMES.externalId) ?? before.externalId,
    metadata:
      keys.length === 0
        ? before.metadata
        : withNewRow(keys.map((key, at) => ({ key, value: (values[at] ?? '').replaceAll('\r\n', '\n') }))),
  }
  const was = sent.get(OWN_NAMES.was) ?? before.was
  return textOf(typed) === was ? before : { ...typed, was }
}

/** Whether somebody changed them in the form. */
export function isOwnTouched({ own }: Pick<BundleForm, 'own'>): boolean {
  return own !== null && textOf(own) !== own.was
}

/** What the form changes of them: nothing that nobody touched. @throws Problem BAD_REQUEST for a key that is there twice. */
export function ownOf({ own }: Pick<BundleForm, 'own'>): SentOwn {
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
  }
}

/** The row that an error of a key is about: the last one with it. */
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

function textOf({ externalId, metadata }: Pick<OwnForm, 'externalId' | 'metadata'>): string {
  const rows = metadata.filter((row) => !isEmpty(row)).map(({ key, value }) => [key, value])
  return JSON.stringify([externalId, rows])
}
