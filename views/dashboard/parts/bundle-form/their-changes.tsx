/** @jsxImportSource @kitajs/html */
import type { Content } from '../../../../db/schema.ts'
import { CONTENT, inWords, SCALAR_NAMES } from '../../../../src/bundles/content/content.ts'
import { type BundleDiff, type Entry, linksOf } from '../../../../src/bundles/content/diff.ts'
import { type Link, textsOf } from '../../../../src/bundles/links/link-fields.ts'
import { exactTime } from '../../../../src/core/time.ts'
import { ExactTime } from '../../../parts/exact-time.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { type BundleForm, type LinkFields, linkRow } from './bundle-form.ts'
import { formOf, variableFields, variablesOf } from './form.ts'

// Changes that somebody else has saved, offered in a form that is not saved yet.

/** The changes by somebody else since the form was opened. */
interface Theirs {
  changes: BundleDiff
  base: Content
  theirs: Pick<Content, 'variables'>
}

/** Somebody else's change, and the form with it applied. */
interface AppliedChoice extends ConflictChoice {
  applied: BundleForm
  /** Whether it concerns something that the form did not change. */
  isFree: boolean
}

/** The value of the button that takes all changes without a conflict. */
export const KEEP_BOTH = 'both'

/** The form with those changes; typed input wins a conflict. */
export function withBoth(theirs: Theirs, form: BundleForm): BundleForm {
  const names = conflictChoices(theirs, form).map(({ name }) => name)
  return names.reduce((so, name) => {
    const choice = conflictChoices(theirs, so).find((one) => one.name === name)
    return choice?.isFree ? choice.applied : so
  }, form)
}

/** The changes that can be applied to a form; links that only moved keep their position in the form. */
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
  if (entry.kind === 'added') return at === -1 ? links.toSpliced(entry.to, 0, linkRow(entry.value)) : null
  if (entry.kind === 'removed') return at === -1 ? null : links.toSpliced(at, 1)
  const { url } = entry.changes
  const before = url === undefined ? at : placeOf(url.from)
  if (before === -1 || Object.keys(entry.changes).length === 0) return null
  const [row, texts] = [links[before]!, textsOf(entry.value)]
  return hasTexts(row, texts) ? null : links.toSpliced(before, 1, { ...row, ...texts })
}

/** Whether a form contains a link unchanged. */
function hasLink(links: readonly LinkFields[], link: Link | undefined): boolean {
  return link !== undefined && links.some((fields) => hasTexts(fields, textsOf(link)))
}

function hasTexts(fields: LinkFields, texts: Record<keyof Link, string>): boolean {
  return (Object.keys(texts) as (keyof Link)[]).every((name) => fields[name] === texts[name])
}

/** A change by somebody else that can be applied to the form. */
interface ConflictChoice {
  /** The value of its button. */
  name: string
  /** `Title`, `Added`, … */
  kind: string
  /** The changed text, link or time. */
  what: string
  isTime: boolean
}

/** The changes by somebody else, each with a button that applies it to the form. */
export function TakeTheirs({ choices }: { choices: readonly ConflictChoice[] }): JSX.Element {
  if (choices.length === 0) return ''
  return (
    <section class="offers" aria-labelledby="offers">
      <h2 id="offers">Take one by one</h2>
      <p class="hint">Each button copies one change into your form below. Nothing is saved until you save.</p>
      <ul>
        <Each
          of={choices}
          show={({ name, kind, what, isTime }) => (
            <li>
              <span class="hint" safe>
                {kind}
              </span>
              {isTime ? (
                <span class="what">
                  <ExactTime at={what} />
                </span>
              ) : (
                <bdi class="what" safe>
                  {what.slice(0, LONGEST)}
                </bdi>
              )}
              <button
                type="submit"
                name="do"
                value={name}
                class="small"
                aria-label={attribute(`Take: ${kind}, ${isTime ? exactTime(what) : what.slice(0, LONGEST)}`)}
              >
                Take
              </button>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** The maximum length of a displayed text or address, long enough to recognise it. */
const LONGEST = 120
