import type { UrlMetadata } from '../../db/schema.ts'
import { CONTENT, each, eachValue, TEXT_NAMES, type ValueName } from '../bundles/content.ts'
import type { FoundLink, FoundTexts } from '../bundles/found.ts'
import { LINK_NAMES, linkField, metadataOf, wholeLink } from '../bundles/link-fields.ts'
import { sanitized } from '../core/text.ts'
import { clean, clip, onOneLine } from './clean.ts'
import { type ImportedLink, type ImportPlan, remark } from './plan.ts'

/** A found link in the form that bundles accept; remarks on changes. */
export function toLink(link: FoundLink, plan: ImportPlan): ImportedLink {
  const metadata = each(LINK_NAMES, (name) => {
    const [field, value] = [linkField(name), link[name]]
    if (field.kind === 'text' && typeof value === 'string') return cleanText(value, field, link, plan)
    if (field.kind === 'tags' && typeof value === 'object') return cleanTags(value, field, link, plan)
    return value
  }) as UrlMetadata
  return { line: link.line, url: link.url.trim(), metadata: metadataOf(wholeLink(link.url, metadata)) }
}

type FieldOf<Kind> = Extract<ReturnType<typeof linkField>, { kind: Kind }>

function cleanText(sent: string, { label, lines, max }: FieldOf<'text'>, link: FoundLink, plan: ImportPlan): string {
  const cleaned = lines === 'many' ? clean(sent) : onOneLine(sent)
  const clipped = clip(cleaned, max)
  const name = label.toLowerCase()
  if (clipped !== cleaned) {
    remark(plan, 'changed', link, `has a ${name} of more than ${max} characters: the rest is left out`)
  } else if (isChanged(sent)) remark(plan, 'changed', link, `has a ${name} ${WITH_CONTROLS}`)
  return clipped
}

function cleanTags(
  sent: readonly string[],
  { max, most }: FieldOf<'tags'>,
  link: FoundLink,
  plan: ImportPlan,
): readonly string[] {
  const tags = [...new Set(sent.map(onOneLine).filter((tag) => tag !== ''))]
  const kept = [...new Set(tags.map((tag) => clip(tag, max)))].slice(0, most)
  if (kept.some((tag, index) => tag !== tags[index]) || kept.length < tags.length) {
    remark(plan, 'changed', link, `has more than ${most} tags of ${max} characters: the rest is left out`)
  } else if (sent.some(isChanged)) remark(plan, 'changed', link, `has a tag ${WITH_CONTROLS}`)
  return kept
}

/** A group's texts in the form bundles accept; remarks on changes at its first link. */
export function cleanTexts(sent: FoundTexts, first: ImportedLink | undefined, plan: ImportPlan): FoundTexts {
  if (first !== undefined) {
    for (const field of TEXT_NAMES) {
      const place = { line: first.line, url: first.url, text: sent[field] }
      if (isChanged(sent[field])) remark(plan, 'changed', place, `comes under a ${field} ${WITH_CONTROLS}`)
    }
  }
  // Times are not validated yet: creating the bundle does that.
  return eachValue((name) => (isOnOneLine(name) ? onOneLine(sent[name]) : clean(sent[name])))
}

function isOnOneLine(name: ValueName): boolean {
  const field = CONTENT[name]
  return field.kind === 'time' || field.lines === 'one'
}

const WITH_CONTROLS = 'with control or text-direction characters, which are left out'

/** Whether a text has characters that bundles do not accept, line endings aside. */
function isChanged(text: string): boolean {
  const unended = text.replaceAll('\r', '\n')
  return sanitized(unended) !== unended
}
