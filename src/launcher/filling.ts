import type { Variable } from '../../db/schema.ts'
import type { LauncherViewer } from '../audience/user-agent.ts'
import { ABOUT_NAMES, each } from '../bundles/content/content.ts'
import { withTexts } from '../bundles/links/link-fields.ts'
import { withDates } from '../core/dates.js'
import {
  askedIn,
  CONTROLS,
  type Filling,
  fillLink,
  fillText,
  isComplete,
  meantBy,
  readValues,
} from '../core/template.js'
import type { PublicBundle } from './served.ts'

/** The filling of a bundle without variables, or without values. */
export const FREE: Filling = readValues([], () => null)

/** A parameter of a launcher’s address that is not a value. */
export interface Other {
  name: string
  value: string
}

/** The values and parameters in a launcher’s address. */
export interface Asked {
  /** Not yet checked against the links that the values go into. */
  filling: Filling
  /** Parameters that its form must keep: rules and visit counters may read them. */
  others: readonly Other[]
}

export const NOTHING_ASKED: Asked = { filling: FREE, others: [] }

/** The maximum that a form carries. Links made by programs have a dozen parameters. */
const CARRIED = { parameters: 50, letters: 2_000 }

/** Reads a launcher's address. The values are not yet checked against their links. */
export function askedOf(viewer: Pick<LauncherViewer, 'url'>, variables: readonly Variable[]): Asked {
  if (variables.length === 0) return NOTHING_ASKED
  const query = queryAt(viewer)
  const others: Other[] = []
  let { letters } = CARRIED
  for (const [name, value] of query) {
    if (others.length === CARRIED.parameters) break
    const length = name.length + value.length
    // A parameter that does not fit is left out whole, as is one that a form would change.
    const meant = meantBy(name)
    if (length > letters || CONTROLS.test(name + value) || variables.some((own) => own.name === meant)) continue
    letters -= length
    others.push({ name, value })
  }
  const dated = withDates(variables, query.get('tz'))
  return { filling: readValues(dated, (name) => askedIn(query, name)), others }
}

/** The query of a launcher’s address. */
export function queryAt({ url }: Pick<LauncherViewer, 'url'>): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : url.slice(at).split('#', 1)[0])
}

/**
 * Moves the value at the end of an address below a launcher's into the query, for the first variable, unless that has another
 * value. Null without variables.
 */
export function addressWith(address: string, variables: readonly Variable[], value: string): string | null {
  const { origin, pathname, searchParams } = new URL(address)
  if (!addValue(searchParams, variables, value)) return null
  return `${origin}${pathname.slice(0, pathname.lastIndexOf('/'))}?${searchParams}`
}

/** Adds a value to a query, for the first variable, unless that has another. @returns false without variables. */
export function addValue(query: URLSearchParams, [first]: readonly Variable[], value: string): boolean {
  if (first !== undefined && !askedIn(query, first.name)?.trim()) query.set(first.name, value)
  return first !== undefined
}

/** A bundle with its values in place of placeholders; unchanged while any value is missing or refused. */
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
