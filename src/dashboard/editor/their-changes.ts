import type { Content } from '../../../db/schema.ts'
import type { BundleForm, LinkFields } from '../../../views/dashboard/editor/bundle-form.ts'
import type { ConflictChoice } from '../../../views/dashboard/editor/take-theirs.tsx'
import { CONTENT, SCALAR_NAMES } from '../../bundles/content.ts'
import { type BundleDiff, linksOf } from '../../bundles/diff.ts'
import { type Link, textsOf } from '../../bundles/link-fields.ts'
import type { Entry } from '../../bundles/list-diff.ts'
import { inWords } from '../../bundles/values.ts'
import { formOf } from './bundle-form.ts'
import { variableFields, variablesOf } from './variable-fields.ts'

// What somebody else has saved meanwhile, in a form that is not saved yet.

/** What somebody else has changed since the form was opened. */
interface Theirs {
  changes: BundleDiff
  base: Content
  theirs: Pick<Content, 'variables'>
}

/** Somebody else's change, and the form with it applied. */
interface AppliedChoice extends ConflictChoice {
  applied: BundleForm
  /** Whether it is about something that the form left as it was. */
  isFree: boolean
}

/** The value of the button that takes all changes that touch nothing of one's own. */
export const KEEP_BOTH = 'both'

/** The form with those changes; where both changed the same, it stays as typed. */
export function withBoth(theirs: Theirs, form: BundleForm): BundleForm {
  const names = conflictChoices(theirs, form).map(({ name }) => name)
  return names.reduce((so, name) => {
    const choice = conflictChoices(theirs, so).find((one) => one.name === name)
    return choice?.isFree ? choice.applied : so
  }, form)
}

/** The changes that can be applied to a form; links that only moved keep their place in the form. */
export function conflictChoices({ changes, base, theirs }: Theirs, form: BundleForm): AppliedChoice[] {
  const { fields, links, variables } = changes
  const was = formOf(base)
  const typed = JSON.stringify(variablesOf(form).variables)
  return [
    ...SCALAR_NAMES.flatMap((field) => {
      const to = fields[field]?.to
      if (to === undefined || form[field].trim() === to) return []
      const { label, kind } = CONTENT[field]
      const what = to === '' ? '(none)' : inWords(field, to)
      const isTime = kind === 'time' && to !== ''
      const isFree = form[field].trim() === was[field]
      return [{ name: `take-${field}`, kind: label, what, isTime, isFree, applied: { ...form, [field]: to } }]
    }),
    ...(variables.length === 0 || typed === JSON.stringify(theirs.variables)
      ? []
      : [
          {
            name: 'take-variables',
            kind: CONTENT.variables.label,
            what: theirs.variables.map(({ name }) => `{${name}}`).join(', ') || '(none)',
            isTime: false,
            isFree: typed === JSON.stringify(base.variables),
            applied: { ...form, variables: theirs.variables.map(variableFields) },
          },
        ]),
    ...links.flatMap((entry, index) => {
      const applied = withLink(form.links, entry)
      if (applied === null) return []
      const kind = { added: 'Added', removed: 'Removed', kept: 'Changed' }[entry.kind]
      const isFree = entry.kind === 'added' || hasLink(form.links, linksOf(base)[entry.from])
      const what = entry.value.url
      return [{ name: `take-${index}`, kind, what, isTime: false, isFree, applied: { ...form, links: applied } }]
    }),
  ]
}

/** A form's links with one of their changes applied; null if it does not apply. */
function withLink(links: readonly LinkFields[], entry: Entry<Link>): LinkFields[] | null {
  const placeOf = (sought: string) => links.findIndex(({ url }) => url.trim() === sought)
  const at = placeOf(entry.value.url)
  if (entry.kind === 'added') return at === -1 ? links.toSpliced(entry.to, 0, textsOf(entry.value)) : null
  if (entry.kind === 'removed') return at === -1 ? null : links.toSpliced(at, 1)
  const { url } = entry.changes
  const before = url === undefined ? at : placeOf(url.from)
  if (before === -1 || Object.keys(entry.changes).length === 0) return null
  const fields = textsOf(entry.value)
  return JSON.stringify(fields) === JSON.stringify(links[before]) ? null : links.toSpliced(before, 1, fields)
}

/** Whether a form has a link exactly as it was. */
function hasLink(links: readonly LinkFields[], link: Link | undefined): boolean {
  const was = link && JSON.stringify(textsOf(link))
  return links.some((fields) => JSON.stringify(fields) === was)
}
