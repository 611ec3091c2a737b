import type { Condition, Leaf } from '../../db/policy.ts'
import type { Content } from '../../db/schema.ts'
import { isFixed } from '../core/fixed-links.js'
import { everyLink } from '../core/links.ts'
import { NAME, piecesOf } from '../core/template.js'
import { leavesOf, withLeaves } from '../policies/leaves.ts'
import { BOUNDS } from './bounds.ts'
import { withTexts } from './link-texts.ts'
import { isVariableName } from './variables.ts'

/** Rules as far as variables matter to them, saved or not. */
interface Rules {
  rules: readonly { when: Condition; tabs: readonly { url: string; note?: string; section?: string }[] }[]
}

/** What may name a bundle's variables. */
type Places = Pick<Content, 'urls' | 'urlMetadata' | 'title' | 'description' | 'variables'> & {
  resolutionPolicy: Rules | null
}

/** Where a variable is used: in how many links, in which texts, and in the conditions of how many rules. */
export interface Uses {
  links: number
  texts: ('title' | 'description' | 'notes' | 'sections')[]
  rules: number
}

/** Where the variables of a bundle are used, by name. Reads each text once, because a form may declare thousands. */
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

/** What placeholders in texts name, variables or not. */
function namesOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name)))
}

/** The new names of variables, by the former ones. */
export type Renames = ReadonlyMap<string, string>

/** A text whose placeholders have their new names. */
export function renamed(text: string, renames: Renames): string {
  const names = [...renames.keys()]
  return piecesOf(text, names)
    .map((piece, at) => (at % 2 === 1 ? `{${renames.get(piece)}}` : piece))
    .join('')
}

/** Rules whose tabs and conditions have the new names. */
export function renamedRules<Some extends Rules>(policy: Some, renames: Renames): Some {
  const rename = (text: string) => renamed(text, renames)
  const rules = policy.rules.map((rule) => ({
    ...rule,
    when: withLeaves(rule.when, (leaf) => renamedLeaf(leaf, renames)),
    tabs: rule.tabs.map((tab) => ({ ...withTexts(tab, rename), url: rename(tab.url) })),
  }))
  return { ...policy, rules }
}

function renamedLeaf(leaf: Leaf, renames: Renames): Leaf {
  const to = renames.get(parameterOf(leaf) ?? '')
  return to === undefined ? leaf : ({ ...leaf, field: `query.${to}` } as Leaf)
}

/** The parameter of the link’s query that a condition asks for; null for any other. */
function parameterOf(leaf: Leaf): string | null {
  if (!('field' in leaf) || !leaf.field.startsWith('query.')) return null
  return leaf.field.slice('query.'.length)
}

/** Something in links that could be a variable, though nobody has made it one. */
export interface Offer {
  /** As it stands in the links, with its braces. */
  written: string
  /** What the variable would be called. */
  name: string
  /** The links that it stands in, by their places in the list. */
  links: number[]
}

/**
 * A name in braces, also as browsers encode them. Neither `{{x}}` nor `${x}`, which mean something to others: templates of
 * alerts, of scripts and of other services.
 */
const WRITTEN = /(?<![{$])\{([a-z][\w .-]{0,39})\}(?!\})|(?<!%7b|\$)%7b([a-z][\w.-]{0,39})%7d(?!%7d)/gi

/**
 * What could become a variable in some links. Names that no variable can have, and places that none can fill, are not; nor is
 * anything in a link with more names than it may have placeholders, which would take long to find out.
 */
export function offersIn(urls: readonly string[], declared: readonly string[], most: number): Offer[] {
  const offers = new Map<string, Offer>()
  for (const [at, url] of urls.entries()) {
    const found = [...url.matchAll(WRITTEN)]
    if (found.length > BOUNDS.placeholders) continue
    for (const [written, plain, encoded] of found) {
      const name = fittingName(plain ?? encoded ?? '')
      const isAlready = declared.includes(name) && written === `{${name}}`
      if (isAlready || !isVariableName(name) || !isFixed(taken(url, { written, name }), [name])) continue
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

/** As a variable is called: `orderId` and `order-id` are `order_id`. */
function fittingName(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** A text in which an offer was taken. */
export function taken(text: string, { written, name }: Pick<Offer, 'written' | 'name'>): string {
  return text.replace(WRITTEN, (found) => (found === written ? `{${name}}` : found))
}
