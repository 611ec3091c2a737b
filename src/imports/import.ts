import { isDeepStrictEqual } from 'node:util'
import type { Content } from '../../db/schema.ts'
import { BOUNDS, pick, SETTING_NAMES, type SettingName, VALUE_NAMES } from '../bundles/content/content.ts'
import type { NewBundle } from '../bundles/content/shapes.ts'
import type { FoundLink, FoundTexts, Settings } from '../bundles/list/found.ts'
import type { Expectation } from '../core/issue.ts'
import { reasonIn } from '../core/issue-words.ts'
import { Problem } from '../core/problem.ts'
import { unfitUrl } from '../core/text.ts'
import { withoutEmptied } from '../policies/base.ts'
import { asShown, refuseOther } from './bytes.ts'
import { clip } from './clean.ts'
import { cleanTexts, toLink } from './cleaned.ts'
import { type ImportFormat, recognise, refuseDamaged } from './formats.ts'
import { PATH } from './markup.ts'
import {
  type FoundList,
  IMPORT_BOUNDS,
  type ImportedBundle,
  type ImportedLink,
  type ImportPlan,
  remark,
} from './plan.ts'
import { settled } from './settled.ts'
import { bundlesOf, clipped, settingsOf, splitList } from './split.ts'

/**
 * Reads a bookmarks file, CSV, Markdown, a list of URLs, the export of a tab manager or this service's own JSON. Folders,
 * headings, groups and sessions become bundles, split at 25 links. Pure; takes linear time.
 * @throws Problem BAD_REQUEST for a text longer than `IMPORT_BOUNDS.characters`, a file without plain text, or a damaged export.
 */
export function readImport(text: string): ImportPlan {
  const { plan, groups } = read(text, (format) => (format === 'json' ? null : new Map()))
  refuseDamaged(text)
  for (const { texts, links, settings, unchecked } of groups) {
    for (const part of bundlesOf(texts, links)) {
      const bundle = { ...part, ...settings, ...unchecked }
      if (plan.bundles.length < IMPORT_BOUNDS.bundles) plan.bundles.push(bundle)
      else for (const link of bundle.links) remark(plan, 'skipped', { ...link, text: link.url }, PAST_BUNDLES)
    }
  }
  return inOrder(plan)
}

/**
 * Reads the same formats as one list, with folders, headings and groups as sections. Its title is the only heading, or a
 * heading above all others without links of its own.
 * @throws Problem BAD_REQUEST for a text that is too long, or a file without plain text.
 */
export function readList(text: string): FoundList {
  const before = new Map<string, number>()
  const { plan, groups } = read(text, () => before)
  const filled = groups.filter(({ links }) => links.length > 0)
  // Only a document with headings begins with its title; an empty bookmarks folder does not name those after it.
  const top = groups.find(({ texts, links }) => texts.title !== '' || links.length > 0)
  const isTitled = (plan.format === 'markdown' || plan.format === 'headings') && top?.links.length === 0
  const isOverAll = isTitled || top?.isOverAll === true
  const { title, names } = headings(plan.format, filled)
  const variables = sharedVariables(filled, plan)
  const { format, skipped, changed, counts } = inOrder(plan)
  const texts = isOverAll ? top?.texts : filled.length === 1 ? filled[0]?.texts : undefined
  return {
    ...clipped(texts),
    ...(title === '' ? {} : { title: clip(title, BOUNDS.title) }),
    ...sharedSettings(filled.map(({ settings }) => settings)),
    ...variables,
    links: filled.flatMap(({ links, isOverAll: isTop }, index) =>
      filled.length === 1 || isTop ? links : links.map((link) => underSection(link, names[index] ?? '')),
    ),
    format,
    skipped,
    changed,
    counts,
  }
}

/**
 * Reads the same formats as one bundle, with folders, headings and groups as sections; as several if there are more links
 * than fit into one.
 * @throws Problem like `readImport`.
 */
export function readSections(text: string): ImportPlan {
  const list = readList(text)
  refuseDamaged(text)
  const { format, skipped, changed, counts } = list
  return { format, bundles: splitList(list), skipped, changed, counts }
}

/** The ways to read a text. */
export const READERS = { list: readList, bundles: readImport, sections: readSections }

export type ReadAs = keyof typeof READERS

/** The names of a list's groups as sections. A folder around all others gives the list its title, and is left out of theirs. */
function headings(format: ImportFormat, groups: readonly Group[]): { title: string; names: string[] } {
  const titles = groups.map(({ texts }) => texts.title)
  if (format === 'onetab') return { title: '', names: titles.map((_, index) => `Group ${index + 1}`) }
  const [outer = ''] = titles[0]?.split(PATH, 1) ?? []
  const isShared = titles.every((title) => title === outer || title.startsWith(outer + PATH))
  if (format !== 'bookmarks' || titles.length < 2 || outer === '' || !isShared) return { title: '', names: titles }
  return { title: outer, names: titles.map((title) => title.slice(outer.length + PATH.length)) }
}

/** A link with a section of its list, unless it has its own. */
function underSection(link: ImportedLink, name: string): ImportedLink {
  const { section = clip(name, BOUNDS.section) } = link.metadata
  return section === '' ? link : { ...link, metadata: { ...link.metadata, section } }
}

/** The settings of a list made of several bundles: the common ones, and the access of the most protected one. */
function sharedSettings(all: readonly Settings[]): Settings {
  const [first = {}, ...others] = all
  const shared = SETTING_NAMES.filter((name) => others.every((other) => other[name] === first[name]))
  return {
    ...settingsOf(pick(shared, first as Pick<Content, SettingName>)),
    ...(all.some(({ access }) => access !== undefined) ? { access: 'members' } : {}),
  }
}

const UNCHECKED = ['variables', 'resolutionPolicy', 'externalId', 'metadata', 'aliases'] as const
type Unchecked = (typeof UNCHECKED)[number]

function uncheckedIn(bundle: Pick<ImportedBundle, Unchecked>): Pick<ImportedBundle, Unchecked> {
  return Object.fromEntries(UNCHECKED.flatMap((name) => (bundle[name] === undefined ? [] : [[name, bundle[name]]])))
}

interface Group {
  isOverAll: boolean
  settings: Settings
  texts: FoundTexts
  links: ImportedLink[]
  unchecked: Pick<ImportedBundle, Unchecked>
}

/** @param seen returns the links that a group must not repeat, by line, to which it adds its own; null if it may repeat any. */
function read(text: string, seen: (format: ImportFormat) => Map<string, number> | null) {
  if (text.length > IMPORT_BOUNDS.characters) {
    throw new Problem('BAD_REQUEST', 'This is too long to read in one go. Split it up and import one part at a time.')
  }
  refuseOther(text)
  const { format, found } = recognise(asShown(text))
  const counts = { skipped: 0, changed: 0, duplicates: 0 }
  const plan: ImportPlan = { format, bundles: [], skipped: [], changed: [], counts }
  let count = 0
  const groups = found.map(
    ({
      links: all,
      isOverAll = false,
      variables,
      resolutionPolicy,
      externalId,
      metadata,
      aliases,
      settings,
      ...texts
    }) => {
      const links = distinct(all.map(settled), plan, seen(format)).flatMap((link) => {
        count += 1
        if (count <= IMPORT_BOUNDS.links) return [toLink(link, plan)]
        remark(plan, 'skipped', link, PAST_LINKS)
        return []
      })
      const [first] = links
      const hadPassword = settings.access === 'password'
      if (hadPassword && first !== undefined) remark(plan, 'changed', { ...first, text: first.url }, HAD_PASSWORD)
      const kept = hadPassword ? { ...settings, access: 'members' as const } : settings
      const rules = withoutEmptied(
        resolutionPolicy,
        links.map(({ url }) => url),
      )
      for (const name of rules.names)
        if (first !== undefined) remark(plan, 'changed', { ...first, text: name }, LEAVES_NO_TAB)
      const unchecked = uncheckedIn({ variables, resolutionPolicy: rules.policy, externalId, metadata, aliases })
      return { isOverAll, texts: cleanTexts(texts, first, plan), links, unchecked, settings: kept } satisfies Group
    },
  )
  return { plan, groups: format === 'bookmarks' ? inFileOrder(groups) : groups }
}

/** Folders by their first links: a browser's file has the links outside of folders last, and they are read into the first group. */
function inFileOrder(groups: readonly Group[]): Group[] {
  const lineOf = ({ links }: Group) => links[0]?.line ?? 0
  return groups.toSorted((one, other) => lineOf(one) - lineOf(other))
}

function inOrder(plan: ImportPlan): ImportPlan {
  for (const kind of ['skipped', 'changed'] as const) plan[kind].sort((one, other) => one.line - other.line)
  return plan
}

const PAST_LINKS = `is beyond the ${IMPORT_BOUNDS.links} links that one import takes: import it separately`
const PAST_BUNDLES = `is beyond the ${IMPORT_BOUNDS.bundles} bundles that one import makes: import it separately`

const HAD_PASSWORD = 'is in a bundle with a password, which no file holds: only members will see it until you set one'

const LEAVES_NO_TAB = 'is a rule that leaves no tab, so it is left out: its viewers get the next rule, as before'

/** The input of `create_bundle` for one bundle of a plan. */
export function toNewBundle({ links, ...bundle }: ImportedBundle): NewBundle {
  const urls = links.map(({ url }) => url)
  const { policy } = withoutEmptied(bundle.resolutionPolicy, urls)
  return {
    urls,
    urlMetadata: links.map(({ metadata }) => metadata),
    ...pick(VALUE_NAMES, bundle),
    ...settingsOf(bundle),
    ...(uncheckedIn({ ...bundle, resolutionPolicy: policy }) as Pick<NewBundle, Unchecked>),
    source: 'import',
  }
}

/** The distinct valid links; adds remarks about the others. */
function distinct(links: readonly FoundLink[], plan: ImportPlan, first: Map<string, number> | null): FoundLink[] {
  return links.filter((link) => {
    const url = link.url.trim()
    const unfit = unfitUrl(url)
    if (unfit !== null) {
      remark(plan, 'skipped', link, skipReason(link, unfit))
      return false
    }
    const { href } = new URL(url)
    const before = first?.get(href)
    if (before === undefined) first?.set(href, link.line)
    else {
      plan.counts.duplicates += 1
      remark(plan, 'skipped', link, `has the same link as line ${before}`)
    }
    return before === undefined
  })
}

function skipReason({ url }: FoundLink, unfit: Expectation): string {
  if (/^\s*https?:/i.test(url)) return unfit.code === 'not_a_web_address' ? 'is not a web address' : reasonIn(unfit)
  const scheme = /^\s*([a-z][a-z0-9+.-]*:)\S/i.exec(url)?.[1]
  return scheme === undefined
    ? 'has no link in it'
    : `is a ${scheme.toLowerCase()} link: only http: and https: can be shared`
}

interface Sharing extends Pick<ImportedBundle, 'links'> {
  unchecked: Pick<ImportedBundle, 'variables'>
}

/** The variables of a list made of several bundles, each name once; adds a remark for each one left out. */
function sharedVariables(groups: readonly Sharing[], plan: ImportPlan): Pick<FoundList, 'variables'> {
  const variables: unknown[] = []
  for (const { unchecked, links } of groups) {
    for (const variable of (unchecked.variables ?? []) as unknown[]) {
      const name = (variable as { name?: unknown } | null)?.name
      const known = variables.find((other) => (other as { name?: unknown } | null)?.name === name)
      if (known === undefined && variables.length < BOUNDS.variables) variables.push(variable)
      else if (links[0] !== undefined && !isDeepStrictEqual(known, variable)) {
        const reason = known === undefined ? PAST_VARIABLES : OTHER_VARIABLE
        remark(plan, 'changed', { ...links[0], text: `{${name}}` }, reason)
      }
    }
  }
  // An empty list of variables declares that braces are text.
  return groups.some(({ unchecked }) => unchecked.variables !== undefined) ? { variables } : {}
}

const PAST_VARIABLES = `is beyond the ${BOUNDS.variables} variables of a bundle: its places stay as braces`
const OTHER_VARIABLE = 'is declared otherwise in another bundle of the list, whose label, default and options it gets'
