import type { UrlMetadata } from '../../db/schema.ts'
import { CONTENT, each, eachValue, TEXT_NAMES, type ValueName } from '../bundles/content/content.ts'
import { LINK_NAMES, linkField, metadataOf, wholeLink } from '../bundles/links/link-fields.ts'
import type { FoundLink, FoundTexts } from '../bundles/list/found.ts'
import { sanitized } from '../core/text.ts'
import { clean, clip, onOneLine } from './clean.ts'
import { titlesOf } from './formats.ts'
import { type ImportedLink, type ImportPlan, remark } from './plan.ts'
import { linkTitleIn, titleIn } from './titles.ts'

/** Fields that are shown as titles. */
const TITLES: ReadonlySet<string> = new Set(['note', 'section', 'title'])

/** A found link in the form that bundles accept; adds remarks about changes. */
export function toLink(link: FoundLink, plan: ImportPlan): ImportedLink {
  const metadata = each(LINK_NAMES, (name) => {
    const [field, value] = [linkField(name), link[name]]
    if (field.kind === 'text' && typeof value === 'string') {
      const source = titlesOf(plan.format)
      const text = name === 'note' ? linkTitleIn(value, source) : TITLES.has(name) ? titleIn(value, source) : value
      return cleanText(text, field, link, plan)
    }
    if (field.kind === 'tags' && typeof value === 'object') return cleanTags(value, field, link, plan)
    return value
  }) as UrlMetadata
  const { line, said } = link
  return {
    line,
    url: link.url.trim(),
    metadata: metadataOf(wholeLink(link.url, metadata)),
    ...(said === undefined ? {} : { said }),
  }
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

/** A group's texts in the form that bundles accept; adds remarks about changes at its first link. */
export function cleanTexts(sent: FoundTexts, first: ImportedLink | undefined, plan: ImportPlan): FoundTexts {
  if (first !== undefined) {
    for (const field of TEXT_NAMES) {
      const place = { line: first.line, url: first.url, text: sent[field] }
      if (isChanged(sent[field])) remark(plan, 'changed', place, `comes under a ${field} ${WITH_CONTROLS}`)
    }
  }
  // Times are not validated yet: creating the bundle does that.
  return eachValue((name) => {
    const text = TITLES.has(name) ? titleIn(sent[name], titlesOf(plan.format)) : sent[name]
    return isOnOneLine(name) ? onOneLine(text) : clean(text)
  })
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
