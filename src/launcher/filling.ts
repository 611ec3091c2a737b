import type { Variable } from '../../db/schema.ts'
import type { LauncherViewer } from '../audience/client.ts'
import { ABOUT_NAMES, each } from '../bundles/content.ts'
import { withTexts } from '../bundles/link-fields.ts'
import { type Filling, fillLink, fillText, isComplete, readValues } from '../core/template.js'
import type { PublicBundle } from './served.ts'

/** Of a bundle without variables, or where none is filled in. */
export const FREE: Filling = readValues([], () => null)

/** What a viewer fills in, before it is known which links it goes into. */
export function fillingOf({ url }: Pick<LauncherViewer, 'url'>, variables: readonly Variable[]): Filling {
  if (variables.length === 0) return FREE
  const at = url.indexOf('?')
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at).split('#', 1)[0])
  return readValues(variables, (name) => query.get(name))
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
