import type { Condition, Leaf } from '../../../db/policy.ts'
import type { Content, Variable } from '../../../db/schema.ts'
import { withDates } from '../../core/dates.js'
import { checkLinks, isFixed } from '../../core/fixed-links.js'
import type { Issue, Path } from '../../core/issue.ts'
import { everyLink } from '../../core/links.ts'
import { invalid } from '../../core/problem.ts'
import { NAME, namesIn, piecesOf, readValues } from '../../core/template.js'
import { type Based, placesIn, withOmits } from '../../policies/base.ts'
import { leavesOf, withLeaves } from '../../policies/conditions.ts'
import { ABOUT_NAMES, type AboutName, BOUNDS } from '../content/content.ts'
import { LINK_TEXTS, type LinkText, withTexts } from '../links/link-fields.ts'
import { isVariableName } from './variables.ts'

/** The parts of rules that can use variables, saved or not. */
interface Rules {
  rules: readonly (Based & { when: Condition; tabs: readonly { url: string; note?: string; section?: string }[] })[]
}

/** The fields of a bundle that can use its variables. */
type Places = Pick<Content, 'urls' | 'urlMetadata' | 'title' | 'description' | 'variables'> & {
  resolutionPolicy: Rules | null
}

/** The uses of a variable: the number of links, the texts, and the number of rules with a condition on it. */
export interface Uses {
  links: number
  texts: ('title' | 'description' | 'notes' | 'sections')[]
  rules: number
}

/** The uses of a bundle’s variables, by name. Reads each text only once, because a form may declare thousands. */
export function usesOf({ urls, urlMetadata, title, description, variables, resolutionPolicy }: Places) {
  const rules = resolutionPolicy?.rules ?? []
  const tabs = rules.flatMap((rule) => rule.tabs)
  const links = everyLink({ urls, resolutionPolicy }).map(({ url }) => namesOf([url]))
  const beside = [...urlMetadata, ...tabs]
  const texts: Record<Uses['texts'][number], Set<string>> = {
    title: namesOf([title ?? '']),
    description: namesOf([description ?? '']),
    notes: namesOf(beside.map(({ note = '' }) => note)),
    sections: namesOf(beside.map(({ section = '' }) => section)),
  }
  const conditions = rules.map(({ when }) => new Set(leavesOf(when).map(parameterOf)))
  const places = Object.keys(texts) as Uses['texts']
  return new Map(
    variables.map(({ name }): [string, Uses] => [
      name,
      {
        links: links.filter((names) => names.has(name)).length,
        texts: places.filter((place) => texts[place].has(name)),
        rules: conditions.filter((parameters) => parameters.has(name)).length,
      },
    ]),
  )
}

const PLACEHOLDER = new RegExp(`\\{(${NAME})\\}`, 'g')

/** The names in placeholders, whether variables or not. */
function namesOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name)))
}

/** New names of variables, by their former ones. */
export type Renames = ReadonlyMap<string, string>

/** A text with its placeholders renamed. */
export function renamed(text: string, renames: Renames): string {
  const names = [...renames.keys()]
  return piecesOf(text, names)
    .map((piece, at) => (at % 2 === 1 ? `{${renames.get(piece)}}` : piece))
    .join('')
}

/** Rules with the variables in their tabs and conditions renamed. */
export function renamedRules<Some extends Rules>(policy: Some, renames: Renames): Some {
  const rename = (text: string) => renamed(text, renames)
  const rules = policy.rules.map((rule) => ({
    ...rule,
    when: withLeaves(rule.when, (leaf) => renamedLeaf(leaf, renames)),
    tabs: rule.tabs.map((tab) => ({ ...withTexts(tab, rename), url: rename(tab.url) })),
  }))
  return withOmits({ ...policy, rules }, rename)
}

function renamedLeaf(leaf: Leaf, renames: Renames): Leaf {
  const to = renames.get(parameterOf(leaf) ?? '')
  return to === undefined ? leaf : ({ ...leaf, field: `query.${to}` } as Leaf)
}

/** The query parameter that a condition tests; null for other conditions. */
function parameterOf(leaf: Leaf): string | null {
  if (!('field' in leaf) || !leaf.field.startsWith('query.')) return null
  return leaf.field.slice('query.'.length)
}

/** Something in links that could be a variable but is not declared. */
export interface Offer {
  /** Its text in the links, with braces. */
  written: string
  /** The name of the variable. */
  name: string
  /** The indexes of the links with it. */
  links: number[]
}

/**
 * A name in braces, plain or percent-encoded by browsers, or the `%s` of a bookmark with a keyword. Not `{{x}}` or `${x}`, which
 * belong to templates of alerts, scripts and other services, and no `%s` that begins a word: in a text, that is a percentage.
 */
const WRITTEN = /(?<![{$])\{([a-z][\w .-]{0,39})\}(?!\})|(?<!%7b|\$)%7b([a-z][\w.-]{0,39})%7d(?!%7d)|(?<!%)%s(?!\w)/gi

/** What no placeholder may change: the scheme, user, host and port of a link. */
const BEFORE_PATH = /^[^:/?#]*:[/\\]*[^/\\?#]*/

/** The name for the `%s` of a bookmark, which has none. */
const SEARCHED = 'query'

/**
 * Finds what could become a variable in links. Omits names that no variable can have, places that none can fill, and links
 * with more names than allowed placeholders, which would take long to examine.
 * @param most the most variables that a bundle can have, including the declared ones.
 */
export function offersIn(urls: readonly string[], declared: readonly string[], most: number): Offer[] {
  const offers = new Map<string, Offer>()
  for (const [at, url] of urls.entries()) {
    const found = [...url.matchAll(WRITTEN)]
    if (found.length > BOUNDS.placeholders) continue
    const path = BEFORE_PATH.exec(url)?.[0].length ?? 0
    const named = found.map(({ 0: written, 1: plain, 2: encoded, index }) => {
      return { written, name: fittingName(plain ?? encoded ?? SEARCHED), isAhead: index < path }
    })
    const ahead = new Set(named.filter(({ isAhead }) => isAhead).map(({ name }) => name))
    const could = named.filter(({ written, name }) => {
      const isAlready = declared.includes(name) && written === `{${name}}`
      return !isAlready && !ahead.has(name) && isVariableName(name)
    })
    if (could.length === 0) continue
    // One look at all names of a link: parsing addresses takes long, and there may be thousands.
    const names = new Map(could.map(({ written, name }) => [written, name]))
    const filled = url.replace(WRITTEN, (written) => (names.has(written) ? `{${names.get(written)}}` : written))
    if (!isFixed(filled, [...names.values()])) continue
    for (const { written, name } of could) {
      const offer = offers.get(written) ?? { written, name, links: [] }
      if (!offer.links.includes(at)) offer.links.push(at)
      offers.set(written, offer)
    }
  }
  const room = Math.max(0, most - declared.length)
  const fresh = [...new Set([...offers.values()].map(({ name }) => name))].filter((name) => !declared.includes(name))
  const left = fresh.slice(room)
  return [...offers.values()].filter(({ name }) => !left.includes(name))
}

/** The names in braces in links that declare a variable, in order. */
export function declarationsIn(urls: readonly string[]): string[] {
  return offersIn(urls, [], Number.POSITIVE_INFINITY)
    .filter(isDeclaration)
    .map(({ name }) => name)
}

/** The variables that links declare. */
export interface Declared {
  variables: Variable[]
  /** Names to keep as text. */
  plain: string[]
  /** Names that stay text, because a bundle has no room for more variables. */
  left: string[]
}

/**
 * The variables that a bundle’s links declare: every name in braces, in order, up to the limit. None if they would make the
 * bundle invalid, since variables that nobody asked for are no reason to refuse it.
 * @param kept names to keep as text.
 * @param has the variables that it already has.
 */
export function declaredBy(
  bundle: Omit<Templates, 'variables'>,
  kept: ReadonlySet<string> = new Set(),
  has: readonly Variable[] = [],
): Declared {
  const all = declarationsIn(bundle.urls).filter((own) => has.every(({ name }) => name !== own))
  const plain = all.filter((name) => kept.has(name))
  const names = all.filter((name) => !kept.has(name))
  const room = Math.max(0, BOUNDS.variables - has.length)
  const variables = names.slice(0, room).map((name) => ({ name }))
  const isFit = unfitTemplates({ ...bundle, variables: [...has, ...variables] }).length === 0
  return isFit ? { variables, plain, left: names.slice(room) } : { variables: [], plain, left: [] }
}

/** Whether an offer is written as its placeholder, and so declares its variable. */
export function isDeclaration({ written, name }: Offer): boolean {
  return written === `{${name}}`
}

/** A text in the form of a variable’s name: `orderId` and `order-id` become `order_id`. */
function fittingName(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** A text with an offer replaced by its placeholder. */
export function taken(text: string, { written, name }: Pick<Offer, 'written' | 'name'>): string {
  return text.replace(WRITTEN, (found) => (found === written ? `{${name}}` : found))
}

type Texts = { readonly [Name in LinkText]?: string }

/** The fields of a bundle that may contain placeholders, and its variables, saved or not. */
export type Templates = Pick<Content, 'urls' | 'urlMetadata' | 'variables' | AboutName> & {
  resolutionPolicy: { rules: readonly (Based & { tabs: readonly ({ url: string } & Texts)[] })[] } | null
}

/** The issues with a bundle’s placeholders. An undeclared name in braces is text, wherever it stands. */
export function unfitTemplates(bundle: Templates): Issue[] {
  const { variables } = bundle
  if (variables.length === 0) return []
  const names = variables.map(({ name }) => name)
  const overfull = overfullIn(bundle, names)
  if (overfull.length > 0) return overfull
  const links = everyLink(bundle).filter(({ url }) => url.includes('{'))
  const moving = links.filter(({ url }) => !isFixed(url, names))
  if (moving.length > 0) {
    return moving.map(({ url, path }) => {
      const [name = ''] = namesIn(url, names).filter((one) => !isFixed(url, [one]))
      return { path, reason: { code: 'placeholder_before_path', name } }
    })
  }
  const urls = links.map(({ url }) => url)
  return variables.flatMap((variable, at) =>
    isDefaultFit(variable, urls) ? [] : [{ path: ['variables', at, 'default'], reason: { code: 'leads_elsewhere' } }],
  )
}

/** Refuses placeholders that could change where a link leads, or too many. @throws Problem INVALID_URLS, BAD_REQUEST. */
export function refuseUnfitTemplates(content: Templates): void {
  const issues = unfitTemplates(content)
  if (issues.length > 0) throw invalid(issues)
}

/** A text that may have placeholders: their number, and its path in the API. */
interface Place {
  count: number
  path: Path
}

/** Issues for texts with too many placeholders; if there are none, for lists of links with too many in total. */
function overfullIn(bundle: Templates, names: readonly string[]): Issue[] {
  const { urls, urlMetadata, resolutionPolicy } = bundle
  const placeOf = (text: string, path: Path): Place => ({ count: (piecesOf(text, names).length - 1) / 2, path })
  const textsAt = (texts: Texts | undefined, path: Path) =>
    LINK_TEXTS.map((name) => placeOf(texts?.[name] ?? '', [...path, name]))
  const about = ABOUT_NAMES.map((name) => placeOf(bundle[name] ?? '', [name]))
  const sum = (places: readonly Place[]) => places.reduce((all, { count }) => all + count, 0)
  const links = urls.map((url, at) => [placeOf(url, ['urls', at]), ...textsAt(urlMetadata[at], ['urlMetadata', at])])
  const ofRules = (resolutionPolicy?.rules ?? []).map((rule, index) => {
    const path = ['resolutionPolicy', 'rules', index, 'tabs']
    const places = rule.tabs.flatMap((tab, at) => [
      placeOf(tab.url, [...path, at, 'url']),
      ...textsAt(tab, [...path, at]),
    ])
    return { path, places, before: placesIn(rule, urls).reduce((all, at) => all + sum(links[at]!), 0) }
  })
  const lists = [{ path: ['variables'], places: links.flat(), before: 0 }, ...ofRules]
  const overfull = [about, ...lists.map(({ places }) => places)]
    .flat()
    .filter(({ count }) => count > BOUNDS.placeholders)
  if (overfull.length > 0) {
    return overfull.map(({ path }) => ({ path, reason: { code: 'too_many_placeholders', max: BOUNDS.placeholders } }))
  }
  const max = BOUNDS.placeholdersSeen
  const left = max - sum(about)
  return lists
    .filter(({ places, before }) => before + sum(places) > left)
    .map(({ path }) => ({ path, reason: { code: 'too_many_placeholders_seen', max } }))
}

/** Whether no link leads elsewhere when filled with a variable’s default. */
function isDefaultFit(variable: Variable, urls: readonly string[]): boolean {
  const { name, default: text } = variable
  if (text === undefined) return true
  const own = urls.filter((url) => namesIn(url, [name]).length > 0)
  // Every date is as long as today's.
  const [dated] = withDates([variable], null)
  const filling = readValues([{ name }], () => dated?.default)
  return checkLinks(filling, own).invalid.length === 0
}
