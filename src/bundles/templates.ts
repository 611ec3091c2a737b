import type { Content, Variable } from '../../db/schema.ts'
import { checkLinks, isFixed } from '../core/fixed-links.js'
import type { Issue, Path } from '../core/issue.ts'
import { everyLink } from '../core/links.ts'
import { namesIn, piecesOf, readValues } from '../core/template.js'
import { BOUNDS } from './bounds.ts'
import { ABOUT_NAMES, type AboutName } from './content.ts'
import { LINK_TEXTS, type LinkText } from './link-texts.ts'

type Texts = { readonly [Name in LinkText]?: string }

/** A bundle as far as its variables stand in it, saved or not. */
export type Templates = Pick<Content, 'urls' | 'urlMetadata' | 'variables' | AboutName> & {
  resolutionPolicy: { rules: readonly { tabs: readonly ({ url: string } & Texts)[] }[] } | null
}

/** What is wrong with the placeholders of a bundle. A name that is not declared is text, wherever it stands. */
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

/** A text that may have placeholders: how many it has, and its path in the API. */
interface Place {
  count: number
  path: Path
}

/** The texts with too many placeholders; if there are none, the lists of links that have too many in all. */
function overfullIn(bundle: Templates, names: readonly string[]): Issue[] {
  const { urls, urlMetadata, resolutionPolicy } = bundle
  const placeOf = (text: string, path: Path): Place => ({ count: (piecesOf(text, names).length - 1) / 2, path })
  const textsAt = (texts: Texts | undefined, path: Path) =>
    LINK_TEXTS.map((name) => placeOf(texts?.[name] ?? '', [...path, name]))
  const about = ABOUT_NAMES.map((name) => placeOf(bundle[name] ?? '', [name]))
  const own = urls.flatMap((url, at) => [placeOf(url, ['urls', at]), ...textsAt(urlMetadata[at], ['urlMetadata', at])])
  const ofRules = (resolutionPolicy?.rules ?? []).map(({ tabs }, rule) => {
    const path = ['resolutionPolicy', 'rules', rule, 'tabs']
    const places = tabs.flatMap((tab, at) => [placeOf(tab.url, [...path, at, 'url']), ...textsAt(tab, [...path, at])])
    return { path, places }
  })
  const lists = [{ path: ['variables'], places: own }, ...ofRules]
  const overfull = [about, ...lists.map(({ places }) => places)]
    .flat()
    .filter(({ count }) => count > BOUNDS.placeholders)
  if (overfull.length > 0) {
    return overfull.map(({ path }) => ({ path, reason: { code: 'too_many_placeholders', max: BOUNDS.placeholders } }))
  }
  const sum = (places: readonly Place[]) => places.reduce((all, { count }) => all + count, 0)
  const max = BOUNDS.placeholdersSeen
  const left = max - sum(about)
  return lists
    .filter(({ places }) => sum(places) > left)
    .map(({ path }) => ({ path, reason: { code: 'too_many_placeholders_seen', max } }))
}

/** Whether every link leads where it says with a variable’s default. */
function isDefaultFit({ name, default: value }: Variable, urls: readonly string[]): boolean {
  if (value === undefined) return true
  const own = urls.filter((url) => namesIn(url, [name]).length > 0)
  const filling = readValues([{ name }], () => value)
  return checkLinks(filling, own).invalid.length === 0
}
