import type { BundleForm, LinkFields } from '../../../views/dashboard/editor/bundle-form.ts'
import type { Offer } from '../../../views/dashboard/editor/take-theirs.tsx'
import { CONTENT, SCALAR_NAMES } from '../../bundles/content.ts'
import type { BundleDiff } from '../../bundles/diff.ts'
import { type Link, textsOf } from '../../bundles/link-fields.ts'
import type { Entry } from '../../bundles/list-diff.ts'
import { inWords } from '../../bundles/values.ts'

/** Somebody else's change, and the form with it applied. */
interface Taking extends Offer {
  taken: BundleForm
}

/** The changes that can be applied to a form; links that only moved keep their place in the form. */
export function offersOf({ fields, links }: BundleDiff, form: BundleForm): Taking[] {
  return [
    ...SCALAR_NAMES.flatMap((field) => {
      const to = fields[field]?.to
      if (to === undefined || form[field].trim() === to) return []
      const { label, kind } = CONTENT[field]
      const what = to === '' ? '(none)' : inWords(field, to)
      const isTime = kind === 'time' && to !== ''
      return [{ name: `take-${field}`, kind: label, what, isTime, taken: { ...form, [field]: to } }]
    }),
    ...links.flatMap((entry, index) => {
      const taken = withLink(form.links, entry)
      const kind = { added: 'Added', removed: 'Removed', kept: 'Changed' }[entry.kind]
      return taken === null
        ? []
        : [{ name: `take-${index}`, kind, what: entry.value.url, isTime: false, taken: { ...form, links: taken } }]
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
