import { BOUNDS, CONTENT, isScalar, SCALAR_NAMES, type ScalarName } from '../../../../src/bundles/content/content.ts'
import { diff, type Entry } from '../../../../src/bundles/content/diff.ts'
import { isOfAliases } from '../../../../src/bundles/edit/unversioned.ts'
import { LINK_NAMES, type Link, type LinkName } from '../../../../src/bundles/links/link-fields.ts'
import { isDeclaration, offersIn, type Uses, usesOf } from '../../../../src/bundles/variables/placeholders.ts'
import { exampleOf, isVariableName } from '../../../../src/bundles/variables/variables.ts'
import { besideField } from '../../../../src/core/field-words.ts'
import type { Problem } from '../../../../src/core/problem.ts'
import { count, tooMany } from '../../../../src/core/words.ts'
import { notAllowed, TAKEN } from '../../../parts/link-name.tsx'
import {
  type BundleForm,
  type Checked,
  type FormError,
  isEmptyLink,
  namesOf,
  type OwnField,
  VARIABLE_FIELDS,
  type VariablesFound,
} from './bundle-form.ts'
import { contentOf, type FormContent, rulesOf } from './form.ts'
import { namesFound } from './names.ts'
import { rowOf } from './own.tsx'

// Errors, hints and summaries of a form in the editor.

/** The form's errors and hints by field; without a problem only hints. */
export function checkedForm(form: BundleForm, problem: Problem | null): Checked {
  const { content, linkOf, variableRows } = contentOf(form)
  const uses = variableUses(form, content)
  const checked: Checked = {
    count: content.urls.length,
    errors: [],
    list: null,
    form: null,
    variables: foundOf(form, content, uses),
  }
  if (problem !== null) addRefusal(checked, { form, linkOf, variableRows }, problem)
  // Errors come before hints.
  checked.errors.push(...doublesIn(content.urls, linkOf), ...emptySectionsIn(form), ...idleIn(form, uses))
  return checked
}

/** Where each variable of a form is used; null for one without a name. */
function variableUses(form: BundleForm, content: FormContent): (Uses | null)[] {
  const { resolutionPolicy = form.rules } = rulesOf(form)
  const uses = usesOf({ ...content, resolutionPolicy })
  return form.variables.map(({ name }) => (isVariableName(name.trim()) ? (uses.get(name.trim()) ?? null) : null))
}

function foundOf(form: BundleForm, { urls, variables }: FormContent, uses: (Uses | null)[]): VariablesFound {
  return {
    uses: uses.map((one) => (one === null ? '' : usesInWords(one))),
    examples: variables.flatMap((variable) => exampleOf(variable) ?? []),
    offers: offersIn(
      form.links.map(({ url }) => url),
      namesOf(form),
      BOUNDS.variables,
    ).filter((offer) => !isDeclaration(offer)),
    names: namesFound(form, urls),
  }
}

/** Variables that no link and no rule uses. */
function idleIn({ variables }: BundleForm, uses: (Uses | null)[]): FormError[] {
  return variables.flatMap(({ name }, variable): FormError[] => {
    const used = uses[variable]
    if (used == null || used.links + used.rules > 0) return []
    const says =
      used.texts.length === 0
        ? `Nothing uses it yet: write {${name.trim()}} into a link.`
        : 'Only texts use it: every value opens the same links.'
    return [{ link: null, variable, field: 'name', says, isHint: true }]
  })
}

/** Sections whose only rows are empty: they would go without a word, because empty rows are not saved. */
function emptySectionsIn({ links }: BundleForm): FormError[] {
  const nameOf = (at: number) => links[at]?.section.trim() ?? ''
  return links.flatMap((link, at): FormError[] => {
    const name = nameOf(at)
    if (name === '' || nameOf(at - 1) === name || !isEmptyLink(link)) return []
    let end = at
    while (nameOf(end) === name && isEmptyLink(links[end]!)) end += 1
    return nameOf(end) === name ? [] : [{ link: at, field: 'url', says: NO_LINK_IN_SECTION, isHint: true }]
  })
}

const NO_LINK_IN_SECTION = 'A section is saved with its first link: add one.'

/** Links with the same address as a link above. A bundle may contain a link twice, so these are only hints. */
function doublesIn(urls: readonly string[], linkOf: readonly number[]): FormError[] {
  const first = new Map<string, number>()
  return urls.flatMap((url, at): FormError[] => {
    const link = linkOf[at] ?? at
    const address = URL.canParse(url) ? new URL(url).href : url
    const above = first.get(address)
    if (above === undefined) first.set(address, link)
    return above === undefined || above === link
      ? []
      : [{ link, field: 'url', says: `Same address as link ${above + 1}.`, isHint: true }]
  })
}

/** The form's row of each sent entry. */
interface Rows {
  form: BundleForm
  linkOf: readonly number[]
  variableRows: readonly number[]
}

function addRefusal(checked: Checked, { form, linkOf, variableRows }: Rows, problem: Problem): void {
  // The form's field is `slug`, whatever the operation calls it.
  if (isOfAliases(problem)) checked.errors.push({ link: null, field: 'aliases', says: problem.userMessage })
  else if (problem.code === 'SLUG_TAKEN') checked.errors.push({ link: null, field: 'slug', says: TAKEN })
  else if (problem.code === 'EXTERNAL_ID_TAKEN')
    checked.errors.push({ link: null, field: 'externalId', says: problem.userMessage })
  else if (problem.issues.length === 0) checked.form = problem.message
  for (const { path, reason } of problem.issues) {
    const [field, at, part] = path
    const root = field === 'newSlug' ? 'slug' : field
    const says = root === 'slug' ? notAllowed(reason) : besideField(reason)
    const link = isOfLink(root) && typeof at === 'number' ? linkOf[at] : undefined
    const variable = root === 'variables' && typeof at === 'number' ? variableRows[at] : undefined
    const own = VARIABLE_FIELDS.find((name) => name === part)
    if (variable !== undefined && own !== undefined) checked.errors.push({ link: null, variable, field: own, says })
    else if (link !== undefined) checked.errors.push({ link, field: fieldOf(root, part), says })
    else if (root === 'metadata') checked.errors.push({ link: null, field: entryOf(form, at), says })
    else if (isOwnField(root)) checked.errors.push({ link: null, field: root, says })
    else if (root === 'urls') checked.list = listError(checked.count)
    // A suggestion's page has its reason, with the error beside it.
    else if (root !== 'urlMetadata' && root !== 'reason') checked.form = problem.message
  }
}

/** Whether it is a field of the form that does not belong to a link. */
function isOwnField(
  name: string | number | undefined,
): name is ScalarName | 'slug' | 'password' | 'externalId' | 'aliases' {
  return name === 'slug' || name === 'externalId' || name === 'aliases' || name === 'password' || isScalar(name)
}

/** Whether the entries of a field are links. */
function isOfLink(root: string | number | undefined): boolean {
  return root === 'urls' || root === 'urlMetadata'
}

function fieldOf(root: string | number | undefined, part: string | number | undefined): FormError['field'] {
  return root === 'urlMetadata' && isLinkName(part) ? part : 'url'
}

/** The row of a metadata key; the list of rows if there is none. */
function entryOf(form: BundleForm, key: string | number | undefined): OwnField {
  const row = key === undefined ? -1 : rowOf(form, String(key))
  return row === -1 ? 'metadata' : `metadata.${row}`
}

function listError(count: number): string {
  return count === 0 ? 'Add at least one link.' : tooMany(count, BOUNDS.urls)
}

/** The uses of a variable in words, such as `11 links, title`; empty for none. */
function usesInWords({ links, texts, rules }: Uses): string {
  return [
    ...(links === 0 ? [] : [count(links, 'link')]),
    ...texts,
    ...(rules === 0 ? [] : [count(rules, 'rule')]),
  ].join(', ')
}

/** The changes of an edit in words, such as `Title edited, Plan edited and 1 more`; empty for none. */
export function changesIn(before: BundleForm, form: BundleForm): string {
  const [was, now] = [before, form].map((one) => ({ ...contentOf(one).content, resolutionPolicy: null }))
  const { fields, links, variables } = diff(was!, now!)
  const named = ({ value: { note, url } }: Entry<Link>) => note.split('\n')[0] || url.replace(/^https?:\/\//i, '')
  const kept = links.filter((entry) => entry.kind === 'kept')
  const distance = ({ from, to }: { from: number; to: number }) => Math.abs(to - from)
  const farthest = kept.filter(({ isMoved }) => isMoved).toSorted((one, other) => distance(other) - distance(one))[0]
  const all = [
    ...SCALAR_NAMES.filter((name) => name in fields).map((name) => `${CONTENT[name].label} edited`),
    ...kept.filter(({ changes }) => Object.keys(changes).length > 0).map((entry) => `${named(entry)} edited`),
    ...(['added', 'removed'] as const).flatMap((kind) =>
      links.filter((entry) => entry.kind === kind).map((entry) => `${named(entry)} ${kind}`),
    ),
    ...(before.slug === '' || before.slug === form.slug.trim() ? [] : ['Link changed']),
    ...(farthest === undefined ? [] : [`${named(farthest)} moved`]),
    ...(variables.length === 0 ? [] : [`${CONTENT.variables.label} edited`]),
  ]
  return all.slice(0, 2).join(', ') + (all.length > 2 ? ` and ${all.length - 2} more` : '')
}

/** Whether a name is that of a field of a link. */
function isLinkName(name: unknown): name is LinkName {
  return LINK_NAMES.some((own) => own === name)
}
