import type { UrlMetadata } from '../../db/schema.ts'
import { CONTENT, each, eachValue, TEXT_NAMES, type ValueName } from '../bundles/content/content.ts'
import { LINK_NAMES, linkField, metadataOf, wholeLink } from '../bundles/links/link-fields.ts'
import type { FoundLink, FoundTexts, Said } from '../bundles/list/found.ts'
import { sanitized, unfitUrl } from '../core/text.ts'
import { unwrapped } from './addresses.ts'
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

/** A found link with its intended address and notices about it. The links from all readers go through this. */
export function settled(link: FoundLink): FoundLink {
  return withSecrets(unwrapped(mended(link)))
}

/** A scheme typed before another one, and one with too many slashes: browsers would look for a site called `https`. */
const DOUBLED = /^(?:https?:?\/{1,3}){1,5}(?=https?:?\/\/)/i
const SLASHES = /^(https?:)\/{3,}(?=[^\s/])/i
/** An equals sign that is not encoded as in mails: `?a=3D1&b=3D2` has none. */
const QUOTED = /=(?!3D)/i

/** A link with its mistyped address corrected, and a notice. */
function mended(link: FoundLink): FoundLink {
  const written = link.url.trim()
  const url = written
    .replace(DOUBLED, '')
    .replace(/^(https?)(?=\/\/)/i, '$1:')
    .replace(SLASHES, '$1//')
  const plain = (url.match(/=3D/gi)?.length ?? 0) > 1 && !QUOTED.test(url) ? url.replace(/=3D/gi, '=') : url
  if (plain === written || unfitUrl(plain) !== null) return link
  const was = plain === url ? {} : { was: written }
  return { ...link, url: plain, said: [...(link.said ?? []), { reason: 'mended', ...was }] }
}

/** Parameters that give everybody with the address somebody's rights: storage signatures, tokens, keys. */
const SECRETS =
  /^(?:x-(?:amz|goog|oss|cos)-signature|x-amz-security-token|signature|sig|hmac|(?:access|auth|id|refresh|reset|session|private|invite)?[-_]?token|jwt|(?:api|access|secret|private|auth)[-_]?key|apikey|secret|client_secret|password|passwd|pwd|sas)$/i

/** The shortest user name that may be a token; a shorter one is a person's. */
const MIN_TOKEN = 20

/** A link with notices about secrets in its address. */
function withSecrets(link: FoundLink): FoundLink {
  const { url, said = [] } = link
  // Parsing every address of a long file would take longer than reading it.
  if (!/[@?#%]/.test(url) || !URL.canParse(url)) return link
  const { username, password, searchParams, hash } = new URL(url)
  const fragment = new URLSearchParams(hash.slice(1).replace(/^[^?]*\?/, ''))
  const names = [...searchParams, ...fragment].filter(([, value]) => value !== '').map(([name]) => name)
  const more: Said[] = [
    ...(/%s(?![a-z\d])/i.test(url) ? [{ reason: 'keyword' } as const] : []),
    ...(password === '' ? [] : [{ reason: 'password' } as const]),
    // A token may take the place of the user name.
    ...(names.some((name) => SECRETS.test(name)) || username.length >= MIN_TOKEN
      ? [{ reason: 'signed' } as const]
      : []),
  ]
  return more.length === 0 ? link : { ...link, said: [...said, ...more] }
}
