import type { Variable } from '../../db/schema.ts'
import type { LauncherViewer } from '../audience/client.ts'
import { ABOUT_NAMES, each } from '../bundles/content.ts'
import { withTexts } from '../bundles/link-texts.ts'
import { CONTROLS, type Filling, fillLink, fillText, isComplete, readValues } from '../core/template.js'
import type { PublicBundle } from './served.ts'

/** Of a bundle without variables, or where none is filled in. */
export const FREE: Filling = readValues([], () => null)

/** A parameter of a launcher’s address that is no value. */
export interface Other {
  name: string
  value: string
}

/** What a viewer asks for in a launcher’s address. */
export interface Asked {
  /** Before it is known which links the values go into. */
  filling: Filling
  /** What its form must not lose: rules may read it, and whoever counts visits by it. */
  others: readonly Other[]
}

export const NOTHING_ASKED: Asked = { filling: FREE, others: [] }

/** The most that a form carries. Links that programs make have a dozen parameters. */
const CARRIED = { parameters: 50, letters: 2_000 }

/** Reads what a viewer asks for. The values are not yet checked against the links that they go into. */
export function askedOf(viewer: Pick<LauncherViewer, 'url'>, variables: readonly Variable[]): Asked {
  if (variables.length === 0) return NOTHING_ASKED
  const query = queryAt(viewer)
  const others: Other[] = []
  let { letters } = CARRIED
  for (const [name, value] of query) {
    if (others.length === CARRIED.parameters) break
    const length = name.length + value.length
    // What does not fit is left out whole, and so is what a form would send otherwise than it came.
    if (length > letters || CONTROLS.test(name + value) || variables.some((own) => own.name === name)) continue
    letters -= length
    others.push({ name, value })
  }
  return { filling: readValues(variables, (name) => query.get(name)), others }
}

/** The query of a launcher’s address. */
export function queryAt({ url }: Pick<LauncherViewer, 'url'>): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at).split('#', 1)[0])
}

/**
 * The address below a launcher’s that ends in a value, as one with it in the query, for the first variable unless that has
 * another. Null without variables.
 */
export function addressWith(address: string, variables: readonly Variable[], value: string): string | null {
  const { origin, pathname, searchParams } = new URL(address)
  if (!addValue(searchParams, variables, value)) return null
  return `${origin}${pathname.slice(0, pathname.lastIndexOf('/'))}?${searchParams}`
}

/** Adds a value to a query, for the first variable unless that has another. @returns false without variables. */
export function addValue(query: URLSearchParams, [first]: readonly Variable[], value: string): boolean {
  if (first !== undefined && !query.get(first.name)?.trim()) query.set(first.name, value)
  return first !== undefined
}

/** A bundle with its values in place of placeholders; as it is while anything is missing or refused. */
export function filledBundle(bundle: PublicBundle, filling: Filling): PublicBundle {
  const { values } = filling
  if (bundle.variables.length === 0 || !isComplete(filling)) return bundle
  const text = (template: string) => fillText(template, values)
  return {
    ...bundle,
    ...each(ABOUT_NAMES, (name) => bundle[name] && text(bundle[name])),
    urls: bundle.urls.map((url) => fillLink(url, values)),
    urlMetadata: bundle.urlMetadata.map((metadata) => withTexts(metadata, text)),
  }
}
