import type { Content } from '../../../db/schema.ts'
import {
  type BundleForm,
  isEmptyLink,
  type LinkFields,
  NEW_VARIABLE,
  type VariableFields,
  variableColumn,
} from '../../../views/dashboard/editor/bundle-form.ts'
import { CONTENT, each, eachScalar, type ScalarName } from '../../bundles/content.ts'
import { linksOf } from '../../bundles/diff.ts'
import { LINK_NAMES, metadataIn, textsOf, wholeLink } from '../../bundles/link-fields.ts'
import { NOTHING, textOf, valueIn } from '../../bundles/values.ts'
import { Problem } from '../../core/problem.ts'
import { sanitized, unfitUrl } from '../../core/text.ts'
import { isInstant } from '../../core/time.ts'
import { type LineLink, linksOrText } from '../../imports/line-links.ts'
import type { FoundList } from '../../imports/plan.ts'
import { readText } from '../../imports/reading.ts'
import { instantOf } from '../../policies/instants.ts'
import { typedOwn } from './own-form.ts'
import { placed, variableFields, variablesOf } from './variable-fields.ts'

/** More than a bundle's maximum, so that a list that is too long can be shortened here; longer ones need the import. */
export const MAX_ROWS = 200

/** An empty row. */
export const NEW_LINK: LinkFields = textsOf(wholeLink(''))

export const NEW_FORM: BundleForm = {
  ...eachScalar((name) => textOf(NOTHING[name])),
  password: '',
  slug: '',
  links: [NEW_LINK],
  variables: [],
  own: null,
  rules: null,
}

/** The form's content as input of the operations; rules have their own page. */
export type FormContent = Omit<Content, 'resolutionPolicy'>

/** The same with what the form has besides content. */
export type FormInput = FormContent & { password?: string }

/** The form of a bundle, or of a version of it, as it is saved. */
export function formOf(content: Content): BundleForm {
  return {
    ...eachScalar((name) => textOf(content[name])),
    password: '',
    slug: '',
    links: linksOf(content).map(textsOf),
    variables: content.variables.map(variableFields),
    own: null,
    rules: content.resolutionPolicy,
  }
}

/**
 * The submitted form; links pasted into its large field are appended as rows, and a variable that was renamed is renamed
 * wherever it stands. A field that was not sent stays as it was.
 * @param before the form as it was opened.
 * @param pasted what is in its large field.
 * @throws Problem BAD_REQUEST for more links than a page can show.
 */
export function readBundleForm(sent: URLSearchParams, before: BundleForm, pasted: FoundList | null): BundleForm {
  const text = (name: string) => sent.get(name)?.replaceAll('\r\n', '\n')
  const links = [...typedLinks(sent, before.links), ...pastedLinks(sent, pasted)]
  if (links.length > MAX_ROWS) {
    throw new Problem(
      'BAD_REQUEST',
      `This form takes up to ${MAX_ROWS} links. For more, use Import: it makes several bundles.`,
    )
  }
  const values = eachScalar((name) => {
    const { kind } = CONTENT[name]
    // A box is sent after what is sent if it is not ticked.
    const typed = (kind === 'switch' ? sent.getAll(name).at(-1) : text(name)) ?? before[name]
    // The script sends instants; without it, times are in UTC.
    return kind === 'time' && !isInstant(typed) ? instantOf(typed, 'UTC') : typed
  })
  return placed({
    ...values,
    password: sent.get('password') ?? '',
    slug: text('slug') ?? '',
    links,
    variables: typedVariables(sent, before.variables),
    own: before.own && typedOwn(sent, before.own),
    rules: before.rules,
  })
}

/** The rows that were sent. A field that is missing is that of the link with the same URL. */
function typedLinks(sent: URLSearchParams, before: readonly LinkFields[]): LinkFields[] {
  const columns = each(LINK_NAMES, (name) => sent.getAll(name))
  const left = [...before]
  return sent.getAll('url').map((url, index) => {
    const at = left.findIndex((link) => link.url === url.trim())
    const [was = NEW_LINK] = at === -1 ? [] : left.splice(at, 1)
    return { url, ...each(LINK_NAMES, (name) => columns[name][index]?.replaceAll('\r\n', '\n') ?? was[name]) }
  })
}

/** The large field that several links are pasted into. */
const PASTED = 'more'

/** The result of reading the pasted text of a form; null if there is none. */
export async function pastedIn(sent: URLSearchParams): Promise<FoundList | null> {
  const text = (sent.get(PASTED) ?? '').replaceAll('\r\n', '\n')
  return text.trim() === '' ? null : readText(text, 'list')
}

/** The button of a form. What was pasted is first listed, if it is to be saved: nothing is that nobody has seen. */
export function buttonOf(sent: URLSearchParams, pasted: FoundList | null): string {
  const button = sent.get('do') || 'save'
  return button === 'save' && pasted !== null ? 'paste' : button
}

/** The links of a pasted text as rows; without links, the text itself as a row, where its error is shown. */
function pastedLinks(sent: URLSearchParams, list: FoundList | null): LinkFields[] {
  if (list === null) return []
  if (list.links.length === 0) return [{ ...NEW_LINK, url: (sent.get(PASTED) ?? '').trim() }]
  return list.links.map(({ url, metadata }) => textsOf(wholeLink(url, metadata)))
}

/**
 * The form's content, and for each URL and each variable the row it came from. Empty rows are left out;
 * a row with several URLs, or with a title beside its URL, is read like a pasted line.
 */
export function contentOf(form: BundleForm): { content: FormContent; linkOf: number[]; variableRows: number[] } {
  const { variables, rowOf } = variablesOf(form)
  const read = form.links.flatMap((link, index) => {
    if (isEmptyLink(link)) return []
    return addressesIn(link.url).map(({ url, note }) => {
      return { url, link: index, metadata: metadataIn({ ...link, note: link.note.trim() || note }) }
    })
  })
  return {
    content: {
      ...(eachScalar((name) => valueIn(name, form[name])) as Pick<Content, ScalarName>),
      urls: read.map(({ url }) => url),
      urlMetadata: read.map(({ metadata }) => metadata),
      variables,
    },
    linkOf: read.map(({ link }) => link),
    variableRows: rowOf,
  }
}

/** The password to send with the content; none if a password is not what protects the bundle. */
export function passwordOf({ access, password }: BundleForm): { password?: string } {
  return access === 'password' && password !== '' ? { password } : {}
}

/** A valid URL is kept as it is, even if it could be read as several links. */
function addressesIn(text: string): LineLink[] {
  const url = sanitized(text).trim()
  const isWhole = unfitUrl(url) === null && !/\shttps?:\/\//i.test(url)
  return isWhole ? [{ url, note: '' }] : linksOrText(url)
}

const COLUMNS = Object.keys(NEW_VARIABLE) as (keyof VariableFields)[]

/** The rows that were sent. A column that is missing leaves that field as it was; without any column all are. */
function typedVariables(sent: URLSearchParams, before: readonly VariableFields[]): VariableFields[] {
  const columns = each(COLUMNS, (name) => sent.getAll(variableColumn(name)))
  const rows = Math.max(...Object.values(columns).map(({ length }) => length))
  // The form says that it has the block, for without rows it sends none of their fields.
  if (rows === 0) return sent.has('variables') ? [] : [...before]
  return Array.from({ length: rows }, (_, index) => {
    const [name, was] = [columns.name[index]?.trim(), columns.was[index]]
    const own =
      before.find((one) => was !== undefined && was !== '' && one.was === was) ??
      before.find((one) => one.name === name) ??
      (name === undefined ? before[index] : undefined) ??
      NEW_VARIABLE
    return each(COLUMNS, (column) => columns[column][index]?.replaceAll('\r\n', '\n') ?? own[column])
  })
}
