import type { UrlMetadata } from '../../db/schema.ts'
import { BOUNDS } from '../bundles/bounds.ts'
import { CONTENT, eachText, pick, TEXT_NAMES, type TextName } from '../bundles/content.ts'
import type { FoundLink, FoundTexts } from '../bundles/found.ts'
import type { NewBundle } from '../bundles/shapes.ts'
import { Problem } from '../core/problem.ts'
import { fitted, NO_WEB_ADDRESS, unfitUrl } from '../core/text.ts'
import { type ImportFormat, recognise } from './formats.ts'

/** What one import may hold; `remarks` is how many are listed, all are counted. */
export const IMPORT_BOUNDS = { characters: 8_000_000, links: 2500, bundles: 250, remarks: 200 } as const

/** One link that will be made. */
interface ImportedLink {
  /** Where it stands in the text; the first line is 1. */
  line: number
  url: string
  metadata: UrlMetadata
}

/** One bundle that will be made, with 1 to 25 links. */
export interface ImportedBundle extends Record<TextName, string | null> {
  links: ImportedLink[]
  /** Its rules, not checked yet: whoever makes the bundle is told what is wrong with them. */
  resolutionPolicy?: unknown
}

/** Something about a line that whoever imports should know. */
export interface Remark {
  line: number
  text: string
  /** The end of a sentence that begins with the line. */
  reason: string
}

/** What an import would make, and what of the text it would not. */
export interface ImportPlan {
  format: ImportFormat
  bundles: ImportedBundle[]
  /** Lines that make no link. */
  skipped: Remark[]
  /** Links that are made, though not whole. */
  changed: Remark[]
  /** All of either, those past `IMPORT_BOUNDS.remarks` as well; of those skipped, how many are there twice. */
  counts: { skipped: number; changed: number; doubles: number }
}

/** What one list would hold: all links of a text, wherever in it they stand, each once. */
export interface FoundList extends Pick<ImportPlan, 'skipped' | 'changed' | 'counts'>, Record<TextName, string | null> {
  links: ImportedLink[]
}

/**
 * Reads what people bring from elsewhere: a bookmarks file, CSV, Markdown, a OneTab export or a list of URLs. Folders,
 * headings and groups become bundles; what is past 25 links becomes further ones. Pure, and of linear cost.
 * @throws Problem BAD_REQUEST for a text past `IMPORT_BOUNDS.characters`.
 */
export function readImport(text: string): ImportPlan {
  const { plan, groups } = read(text, () => new Map())
  for (const { called, links, resolutionPolicy } of groups) {
    for (const part of inBundles(called, links)) {
      const bundle = resolutionPolicy === undefined ? part : { ...part, resolutionPolicy }
      if (plan.bundles.length < IMPORT_BOUNDS.bundles) plan.bundles.push(bundle)
      else for (const link of bundle.links) remark(plan, 'skipped', { ...link, text: link.url }, PAST_BUNDLES)
    }
  }
  return inOrder(plan)
}

/**
 * Reads the same texts as one list, which is called what stands above all of its links: the only heading that there is,
 * or one that has no links of its own.
 * @throws Problem like `readImport`.
 */
export function readList(text: string): FoundList {
  const before = new Map<string, number>()
  const { plan, groups } = read(text, () => before)
  const filled = groups.filter(({ links }) => links.length > 0)
  // A document begins with its name; an empty folder before others names none of them.
  const top = groups.find(({ called, links }) => called.title !== '' || links.length > 0)
  const isOverAll = plan.format === 'markdown' && top?.links.length === 0
  const called = isOverAll ? top.called : filled.length === 1 ? filled[0]?.called : undefined
  const { skipped, changed, counts } = inOrder(plan)
  return {
    ...eachText((name) => clip(called?.[name] ?? '', CONTENT[name].max) || null),
    links: filled.flatMap(({ links }) => links),
    skipped,
    changed,
    counts,
  }
}

/** The bundles of a list that is too long for one, in its order. */
export function inParts({ links, ...list }: FoundList): ImportedBundle[] {
  return inBundles(
    eachText((name) => list[name] ?? ''),
    links,
  )
}

interface Group {
  called: FoundTexts
  links: ImportedLink[]
  resolutionPolicy?: unknown
}

/** @param seen the links that a group must not have again, by their lines. */
function read(text: string, seen: () => Map<string, number>): { plan: ImportPlan; groups: Group[] } {
  if (text.length > IMPORT_BOUNDS.characters) {
    throw new Problem('BAD_REQUEST', 'This is too long to read in one go. Split it up and import one part at a time.')
  }
  const { format, found } = recognise(text)
  const counts = { skipped: 0, changed: 0, doubles: 0 }
  const plan: ImportPlan = { format, bundles: [], skipped: [], changed: [], counts }
  let count = 0
  const groups = found.map(({ links: all, resolutionPolicy, ...texts }): Group => {
    const links = distinct(all, plan, seen()).flatMap((link) => {
      count += 1
      if (count <= IMPORT_BOUNDS.links) return [toLink(link, plan)]
      remark(plan, 'skipped', link, PAST_LINKS)
      return []
    })
    return { called: calledOf(texts, links[0], plan), links, resolutionPolicy }
  })
  return { plan, groups }
}

function inOrder(plan: ImportPlan): ImportPlan {
  for (const kind of ['skipped', 'changed'] as const) plan[kind].sort((one, other) => one.line - other.line)
  return plan
}

const PAST_LINKS = `is beyond the ${IMPORT_BOUNDS.links} links that one import takes: import it separately`
const PAST_BUNDLES = `is beyond the ${IMPORT_BOUNDS.bundles} bundles that one import makes: import it separately`

/** The input of `create_bundle` for one bundle of a plan. */
export function toNewBundle({ links, resolutionPolicy, ...texts }: ImportedBundle): NewBundle {
  return {
    urls: links.map(({ url }) => url),
    urlMetadata: links.map(({ metadata }) => metadata),
    ...pick(TEXT_NAMES, texts),
    ...(resolutionPolicy === undefined ? {} : { resolutionPolicy: resolutionPolicy as NewBundle['resolutionPolicy'] }),
    source: 'import',
  }
}

/** The links that can be kept, each once; the rest is told. */
function distinct(links: readonly FoundLink[], plan: ImportPlan, first: Map<string, number>): FoundLink[] {
  return links.filter((link) => {
    const url = link.url.trim()
    const unfit = unfitUrl(url)
    if (unfit !== null) {
      remark(plan, 'skipped', link, whyNot(link, unfit))
      return false
    }
    const { href } = new URL(url)
    const before = first.get(href)
    if (before === undefined) first.set(href, link.line)
    else {
      plan.counts.doubles += 1
      remark(plan, 'skipped', link, `has the same link as line ${before}`)
    }
    return before === undefined
  })
}

function whyNot({ url }: FoundLink, unfit: string): string {
  if (/^\s*https?:/i.test(url)) return unfit === NO_WEB_ADDRESS ? 'is not a web address' : `must be ${unfit}`
  const scheme = /^\s*([a-z][a-z0-9+.-]*:)\S/i.exec(url)?.[1]
  return scheme === undefined
    ? 'has no link in it'
    : `is a ${scheme.toLowerCase()} link: only http: and https: can be shared`
}

function toLink(link: FoundLink, plan: ImportPlan): ImportedLink {
  const note = clean(link.note)
  const metadata: UrlMetadata = {}
  if (note !== '') metadata.note = clip(note, BOUNDS.note)
  if (metadata.note !== undefined && metadata.note !== note) {
    remark(plan, 'changed', link, `has a note of more than ${BOUNDS.note} characters: the rest is left out`)
  } else if (isChanged(link.note)) remark(plan, 'changed', link, `has a note ${WITH_CONTROLS}`)
  const tags = [...new Set(link.tags.map(onOneLine).filter((tag) => tag !== ''))]
  const kept = [...new Set(tags.map((tag) => clip(tag, BOUNDS.tag)))].slice(0, BOUNDS.tags)
  if (kept.length > 0) metadata.tags = kept
  if (kept.some((tag, index) => tag !== tags[index]) || kept.length < tags.length) {
    remark(plan, 'changed', link, `has more than ${BOUNDS.tags} tags of ${BOUNDS.tag} characters: the rest is left out`)
  } else if (link.tags.some(isChanged)) remark(plan, 'changed', link, `has a tag ${WITH_CONTROLS}`)
  if (link.openPolicy !== undefined) metadata.openPolicy = link.openPolicy
  return { line: link.line, url: link.url.trim(), metadata }
}

/** What the bundles of one folder are called, as it may be kept; what is changed of it is told at its first link. */
function calledOf(sent: FoundTexts, first: ImportedLink | undefined, plan: ImportPlan): FoundTexts {
  if (first !== undefined) {
    for (const field of TEXT_NAMES) {
      const place = { line: first.line, url: first.url, text: sent[field] }
      if (isChanged(sent[field])) remark(plan, 'changed', place, `comes under a ${field} ${WITH_CONTROLS}`)
    }
  }
  return eachText((name) => (CONTENT[name].lines === 'one' ? onOneLine(sent[name]) : clean(sent[name])))
}

function inBundles(called: FoundTexts, links: readonly ImportedLink[]): ImportedBundle[] {
  const { title } = called
  const parts = Math.ceil(links.length / BOUNDS.urls)
  return Array.from({ length: parts }, (_, part) => {
    const suffix = parts === 1 ? '' : ` (${part + 1} of ${parts})`
    return {
      ...eachText((name) => clip(called[name], CONTENT[name].max) || null),
      title: title === '' ? null : clip(title, BOUNDS.title - suffix.length) + suffix,
      links: links.slice(part * BOUNDS.urls, (part + 1) * BOUNDS.urls),
    }
  })
}

function remark(
  plan: ImportPlan,
  kind: 'skipped' | 'changed',
  link: Pick<FoundLink, 'line' | 'url' | 'text'>,
  reason: string,
) {
  plan.counts[kind] += 1
  if (plan.counts[kind] > IMPORT_BOUNDS.remarks) return
  const told = (link.text ?? link.url).trim().slice(0, 400)
  plan[kind].push({ line: link.line, text: clip(fitted(told), 120), reason })
}

const WITH_CONTROLS = 'with control characters or marks that turn its direction: they are left out'

/** Whether a text cannot be kept as it came, whatever its ends of lines. */
function isChanged(text: string): boolean {
  const unended = text.replaceAll('\r', '\n')
  return fitted(unended) !== unended
}

/** A text as it may be kept, its lines ended by newlines alone. */
function clean(text: string): string {
  return fitted(text.replace(/\r\n?/g, '\n')).trim()
}

function onOneLine(text: string): string {
  return clean(text).replace(/[\t\n]/g, ' ')
}

/** At most `max` code points, with a sign of what was cut. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const points = [...text.slice(0, max * 2 + 2)]
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`
}
