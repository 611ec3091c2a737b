import { type } from 'arktype'
import type { Content, Variable } from '../../../../db/schema.ts'
import {
  CONTENT,
  each,
  eachScalar,
  NOTHING,
  type ScalarName,
  textOf,
  valueIn,
} from '../../../../src/bundles/content/content.ts'
import { linksOf } from '../../../../src/bundles/content/diff.ts'
import type { SeenLink } from '../../../../src/bundles/links/elsewhere.ts'
import { LINK_NAMES, metadataIn, wholeLink } from '../../../../src/bundles/links/link-fields.ts'
import type { Said } from '../../../../src/bundles/list/found.ts'
import { type Renames, renamed, renamedRules } from '../../../../src/bundles/variables/placeholders.ts'
import { isVariableName, variableOf, wholeVariable } from '../../../../src/bundles/variables/variables.ts'
import { Problem } from '../../../../src/core/problem.ts'
import { sanitized, unfitUrl } from '../../../../src/core/text.ts'
import { isInstant } from '../../../../src/core/time.ts'
import { type LineLink, linksOrText } from '../../../../src/imports/line-links.ts'
import type { FoundList } from '../../../../src/imports/plan.ts'
import { readText } from '../../../../src/imports/reading.ts'
import { REASONS } from '../../../../src/imports/said.ts'
import { instantOf } from '../../../../src/policies/clock.ts'
import {
  ASKED,
  askedOf,
  type BundleForm,
  isEmptyLink,
  type LinkFields,
  linkRow,
  NEW_LINK,
  NEW_VARIABLE,
  namesOf,
  nextRow,
  type Removed,
  ROW_FIELDS,
  VARIABLE_FIELDS,
  type VariableFields,
  variableColumn,
} from './bundle-form.ts'
import { changed, PLAIN, plainNames, withDeclared } from './names.ts'
import { typedOwn } from './own.tsx'

/** More than a bundle's maximum, so that a list that is too long can be shortened here; longer ones need Import. */
export const MAX_ROWS = 200

export const NEW_FORM: BundleForm = {
  ...eachScalar((name) => textOf(NOTHING[name])),
  password: '',
  slug: '',
  links: [NEW_LINK],
  variables: [],
  plain: [],
  removed: { links: [], variables: [] },
  own: null,
  rules: null,
}

/** The form's content as input of the operations; rules have a separate page. */
export type FormContent = Omit<Content, 'resolutionPolicy'>

/** The same with the form's other input. */
export type FormInput = FormContent & { password?: string }

/** The form of a saved bundle or version. */
export function formOf(content: Content): BundleForm {
  return {
    ...eachScalar((name) => textOf(content[name])),
    password: '',
    slug: '',
    links: linksOf(content).map(linkRow),
    variables: content.variables.map(variableFields),
    plain: plainNames(content.urls, content.variables),
    removed: { links: [], variables: [] },
    own: null,
    rules: content.resolutionPolicy,
  }
}

/**
 * The submitted form as typed; links from its paste field are appended as rows. A field that was not sent stays unchanged.
 * @param before the form as it was opened.
 * @param pasted the links in its paste field.
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
    // A hidden field sends the value of a cleared checkbox; the checkbox comes after it.
    const typed = (kind === 'switch' ? sent.getAll(name).at(-1) : text(name)) ?? before[name]
    // The script sends instants; without it, times are in UTC.
    return kind === 'time' && !isInstant(typed) ? instantOf(typed, 'UTC') : typed
  })
  return {
    ...values,
    password: sent.get('password') ?? '',
    slug: text('slug') ?? before.slug,
    links,
    variables: typedVariables(sent, before.variables),
    plain: hasVariables(sent)
      ? [...new Set(sent.getAll(PLAIN))].filter(isVariableName).slice(0, MAX_ROWS)
      : before.plain,
    removed: {
      links: removedIn(sent, 'removed', 'url', ['url', 'row', ...LINK_NAMES]),
      variables: removedIn(sent, variableColumn('removed'), variableColumn('name'), COLUMNS),
    },
    own: before.own && typedOwn(sent, before.own),
    rules: before.rules,
  }
}

/** Applies the typed names of sections and variables to all their uses in the form. */
export function withNames(form: BundleForm): BundleForm {
  const links = [...form.links]
  for (const [at, { heading, section }] of form.links.entries()) {
    // An emptied field does not remove the name: the links keep their section.
    const to = heading?.trim() || section
    for (let below = at; heading !== undefined && form.links[below]?.section.trim() === section.trim(); below += 1) {
      links[below] = { ...links[below]!, section: to, heading: undefined }
    }
  }
  return placed({ ...form, links })
}

/** A form whose links declare their names in braces. */
export function declaring(form: BundleForm): BundleForm {
  return withDeclared(form, { ...contentOf(form).content, resolutionPolicy: form.rules })
}

/** Gives each row of the form a unique number. */
export function numbered(form: BundleForm): BundleForm {
  const { links, variables, removed } = form
  return {
    ...form,
    links: withNumbers(links, removed.links),
    variables: withNumbers(variables, removed.variables),
  }
}

function withNumbers<Fields extends { row: string }>(rows: readonly Fields[], removed: Removed<Fields>[]): Fields[] {
  const taken = new Set(['', ...removed.map(({ fields }) => fields.row)])
  let next = nextRow(rows, removed)
  return rows.map((fields) => {
    const row = taken.has(fields.row) ? String(next++) : fields.row
    taken.add(row)
    return { ...fields, row }
  })
}

/** The submitted rows. A missing field is taken from the link with the same URL. */
function typedLinks(sent: URLSearchParams, before: readonly LinkFields[]): LinkFields[] {
  const columns = each(LINK_NAMES, (name) => sent.getAll(name))
  const rows = sent.getAll('row')
  const left = [...before]
  return sent.getAll('url').map((url, index) => {
    const at = left.findIndex((link) => link.url === url.trim())
    const [was = NEW_LINK] = at === -1 ? [] : left.splice(at, 1)
    const fields = each(LINK_NAMES, (name) => columns[name][index]?.replaceAll('\r\n', '\n') ?? was[name])
    const row = numberIn(rows[index])
    return { url, ...fields, row, heading: headingIn(sent, row, fields.section), said: saidIn(sent, row, url) }
  })
}

/** A row’s number as sent; empty for none. */
function numberIn(text = ''): string {
  return /^[1-9]\d{0,5}$/.test(text) ? text : ''
}

/** The typed new name of a section; undefined if it is unchanged, or if its first link has moved to another section. */
function headingIn(sent: URLSearchParams, row: string, section: string): string | undefined {
  const [to, was] = [sent.get(ROW_FIELDS.heading + row), sent.get(ROW_FIELDS.headingWas + row)]
  return to === null || to === was || section.trim() !== was ? undefined : to
}

const SentSaid = type('string.json.parse').to({
  url: 'string',
  said: type({ reason: type.enumerated(...REASONS), 'by?': 'string', 'was?': 'string' }).array(),
})

/** The remarks about a link, unless its address has changed. */
function saidIn(sent: URLSearchParams, row: string, url: string): readonly Said[] | undefined {
  const read = SentSaid(sent.get(ROW_FIELDS.said + row) ?? '')
  return read instanceof type.errors || read.url !== url ? undefined : read.said
}

const SentSeen = type('string.json.parse').to({ slug: 'string', called: 'string' })

/** The other bundles of a form's links, as sent; null if they were looked up for other links. */
export function seenIn(sent: URLSearchParams, form: Pick<BundleForm, 'links'>): SeenLink[] | null {
  if (sent.get(ASKED) !== askedOf({ form, seen: [] })) return null
  return form.links.flatMap(({ row, url }) => {
    const read = SentSeen(sent.get(ROW_FIELDS.seen + row) ?? '')
    return read instanceof type.errors ? [] : { url: url.trim(), ...read }
  })
}

/**
 * The removed rows with their positions among the other rows.
 * @param field the field of a removed row, as written by `removedText`.
 * @param counted the field that every other row has.
 */
function removedIn<Name extends string>(
  sent: URLSearchParams,
  field: string,
  counted: string,
  columns: readonly Name[],
): Removed<Record<Name, string>>[] {
  let at = 0
  const removed: Removed<Record<Name, string>>[] = []
  for (const [name, value] of sent) {
    if (name === counted) at += 1
    if (name !== field) continue
    const texts = new URLSearchParams(value)
    removed.push({ at, fields: each(columns, (column) => texts.get(column) ?? '') })
  }
  return removed.slice(-MAX_ROWS)
}

/** The field into which several links are pasted. */
const PASTED = 'more'

/** The parsed text from the paste field of a form; null if it is empty. */
export async function pastedIn(sent: URLSearchParams): Promise<FoundList | null> {
  const text = (sent.get(PASTED) ?? '').replaceAll('\r\n', '\n')
  return text.trim() === '' ? null : readText(text, 'list')
}

/** The pressed button of a form. With pasted text, saving first lists its links: nothing is saved unseen. */
export function buttonOf(sent: URLSearchParams, pasted: FoundList | null): string {
  const button = sent.get('do') || 'save'
  return button === 'save' && pasted !== null ? 'paste' : button
}

/** The links of a pasted text as rows; without links, the text itself as a row, which shows its error. */
function pastedLinks(sent: URLSearchParams, list: FoundList | null): LinkFields[] {
  if (list === null) return []
  if (list.links.length === 0) return [{ ...NEW_LINK, url: (sent.get(PASTED) ?? '').trim() }]
  return list.links.map(({ url, metadata, said }) => ({ ...linkRow(wholeLink(url, metadata)), said }))
}

/**
 * The form's content, and the row of each URL and variable. Empty rows are left out; a row with several URLs, or with a title
 * beside its URL, is parsed like a pasted line.
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

/** The password to send with the content; none if the bundle is not protected by a password. */
export function passwordOf({ access, password }: BundleForm): { password?: string } {
  return access === 'password' && password !== '' ? { password } : {}
}

/** The links in an address field. A valid URL stays whole, even if it could be parsed as several links. */
function addressesIn(text: string): LineLink[] {
  const url = sanitized(text).trim()
  const isWhole = unfitUrl(url) === null && !/\shttps?:\/\//i.test(url)
  return isWhole ? [{ url, note: '' }] : linksOrText(url)
}

/** Whether a form has the block of variables. It says so, because without rows it sends none of their fields. */
export function hasVariables(sent: URLSearchParams): boolean {
  return sent.has('variables')
}

const COLUMNS = Object.keys(NEW_VARIABLE) as (keyof VariableFields)[]

/** The submitted rows of variables. A missing column leaves its fields unchanged; without any column, all rows stay. */
function typedVariables(sent: URLSearchParams, before: readonly VariableFields[]): VariableFields[] {
  const columns = each(COLUMNS, (name) => sent.getAll(variableColumn(name)))
  const rows = Math.max(...Object.values(columns).map(({ length }) => length))
  if (rows === 0) return hasVariables(sent) ? [] : [...before]
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

// The variables in the editor's form.

/** A saved variable in the form. */
export function variableFields(variable: Variable): VariableFields {
  const { options, ...texts } = wholeVariable(variable)
  return { ...texts, options: options.join('\n'), was: variable.name, placed: variable.name, found: '', row: '' }
}

/** Renames placeholders in links and texts to the typed names of their variables. */
function placed(form: BundleForm): BundleForm {
  const { variables } = form
  const names = namesOf(form)
  const isFit = (name: string) => isVariableName(name) && names.indexOf(name) === names.lastIndexOf(name)
  const isLeft = (place: string) => variables.every((one) => one.placed !== place || isFit(one.name.trim()))
  const renames = new Map(
    variables.flatMap((one): [string, string][] => {
      const name = one.name.trim()
      return one.placed === '' || one.placed === name || !isFit(name) || !isLeft(name) ? [] : [[one.placed, name]]
    }),
  )
  return {
    ...changed(form, (text) => renamed(text, renames)),
    variables: variables.map((one) => {
      const name = one.name.trim()
      const place = one.placed === '' ? (isFit(name) ? name : '') : (renames.get(one.placed) ?? one.placed)
      return { ...one, placed: place }
    }),
  }
}

/** The variables of a form as saved, and the row of each; empty rows are left out. */
export function variablesOf({ variables }: Pick<BundleForm, 'variables'>) {
  const read = variables.flatMap((fields, row) =>
    VARIABLE_FIELDS.every((name) => fields[name].trim() === '')
      ? []
      : [{ row, variable: variableOf({ ...fields, options: fields.options.split('\n') }) }],
  )
  return { variables: read.map(({ variable }) => variable), rowOf: read.map(({ row }) => row) }
}

/** The rules with renamed variables; empty if nothing changes. */
export function rulesOf({ variables, rules }: Pick<BundleForm, 'variables' | 'rules'>) {
  const renames: Renames = new Map(
    variables.filter(({ name, was }) => was !== '' && was !== name.trim()).map(({ name, was }) => [was, name.trim()]),
  )
  if (rules === null || renames.size === 0) return {}
  const resolutionPolicy = renamedRules(rules, renames)
  return JSON.stringify(resolutionPolicy) === JSON.stringify(rules) ? {} : { resolutionPolicy }
}
