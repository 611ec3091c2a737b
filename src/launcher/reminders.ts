import { linkOf } from '../bundles/links/link-fields.ts'
import type { Reminder } from '../calendar/calendar.ts'
import { SCHEDULE_NAMES } from '../calendar/schedule.ts'
import { isDated } from '../core/dates.js'
import { firstLine, unstressed } from '../core/emphasis.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { MAX_LINK, piecesOf } from '../core/template.js'
import { count } from '../core/words.ts'
import { seenBy, type ViewerBundle } from './seen.ts'

/** Before the name of a variable that is called like a parameter of the schedule. */
const VALUE = 'value.'
/** Parameters of this service's own links, which are of one visit. */
const OF_VISIT = 'openall-referrer'

const isOwn = (name: string) => (SCHEDULE_NAMES as readonly string[]).includes(name)

/** The parameter of a variable in the address of a calendar. */
export const parameterOf = (name: string) => (isOwn(name) ? VALUE + name : name)

/** The query of the launcher in that of its calendar. Whoever may not see a bundle does not learn whether it has variables. */
export function launcherQuery(query: URLSearchParams): URLSearchParams {
  const kept = [...query].filter(([name]) => !isOwn(name) && name !== OF_VISIT)
  return new URLSearchParams(
    kept.map(([name, value]) => [name.startsWith(VALUE) ? name.slice(VALUE.length) : name, value]),
  )
}

/** What a viewer may put into a calendar. */
export interface Reminded extends Reminder {
  /** The bundle as they see it, or why a gate keeps them out that others pass: then only the link may be told. */
  seen: ViewerBundle | Problem
  /** Whether it is the same for everybody. */
  isSame: boolean
}

/**
 * What a viewer may put into a calendar: titles where anybody with the link sees them, the bundle's own title for those whom it
 * lets in, and nothing but the link for everybody else, which a calendar without an account reads as well.
 * @param query of the calendar.
 * @throws Problem NOT_FOUND, BLOCKED, NOT_OPEN_YET, CLOSED like the launcher; BAD_REQUEST for a link that is too long.
 */
export async function remindedOf(
  { headers }: Pick<Request, 'headers'>,
  query: URLSearchParams,
  slug: string,
  service: Service,
): Promise<Reminded> {
  const { config } = service
  const values = launcherQuery(query)
  const link = linkOf(slug, config)
  const url = values.size === 0 ? link : `${link}?${values}`
  if (url.length > MAX_LINK) throw new Problem('BAD_REQUEST', `The link would have more than ${MAX_LINK} characters.`)
  const own = { service: config.name, url, id: `${linkOf(slug, { ...config, shortPaths: false })}?${values}` }
  const seen = await seenOrRefused({ headers, url }, slug, service)
  if (seen instanceof Problem) {
    return { ...own, title: link.replace(/^https?:\/\//, ''), lines: [], seen, isSame: false }
  }
  const { bundle, isGuarded } = seen
  const fill = textOf(seen)
  const title = bundle.title ? fill(bundle.title) : count(bundle.urls.length, 'link')
  const isSame = !isGuarded && !bundle.hasRules && bundle.variables.length === 0
  return { ...own, title, lines: bundle.isProtected ? [] : linesOf(bundle, fill), seen, isSame }
}

/** The bundle as a viewer sees it; the refusal if a gate keeps them out that others pass. */
async function seenOrRefused(viewer: Pick<Request, 'headers' | 'url'>, slug: string, service: Service) {
  try {
    return await seenBy(viewer, slug, service)
  } catch (error) {
    if (error instanceof Problem && (error.code === 'MEMBERS_ONLY' || error.code === 'PASSWORD_REQUIRED')) return error
    throw error
  }
}

/** Fills texts in with what stays the same until the event: dates do not. */
function textOf({ bundle: { variables }, filling: { values, sent } }: ViewerBundle): (text: string) => string {
  const names = variables.map(({ name }) => name)
  const passing = variables.filter((variable) => isDated(variable) && sent[variable.name] === undefined)
  const keptOf = (name: string) => (passing.some((one) => one.name === name) ? undefined : values[name])
  return (text) =>
    piecesOf(text, names)
      .map((piece, at) => (at % 2 === 0 ? piece : (keptOf(piece) ?? '…')))
      .join('')
}

/** The description of a bundle, and the title of each of its tabs, or else its host. */
function linesOf({ description, urls, urlMetadata }: ViewerBundle['bundle'], fill: (text: string) => string): string[] {
  const tabs = urls.map((url, at) => {
    const title = firstLine(urlMetadata[at]?.note?.trim() ?? '')
    return title === '' ? new URL(url).host : fill(title)
  })
  return [...(description ? ['', fill(unstressed(description))] : []), '', ...tabs.map((tab) => `- ${tab}`)]
}
