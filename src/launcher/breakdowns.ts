import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { type Dimension, OTHER_VALUES } from '../../db/schema.ts'
import { primaryLanguage } from '../audience/negotiation.ts'
import { countryOf, domainOf, dropPath } from '../audience/origin.ts'
import { deviceOf } from '../audience/user-agent.ts'
import type { Config } from '../config/config.ts'
import { HeaderValues } from '../core/header-values.ts'
import { byBundle, type Counter, type Profile } from './batches.ts'

/** Hosts as browsers send them: of sites, and of apps in `android-app:` URLs. */
const HOST = /^(?=.{1,253}$)(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])$/

/** Maximum values per bundle, day and dimension; the views of further ones are counted together. */
export const MAX_VALUES = 100
const MAX_PROFILES = 1_000

/** Views with one value. `place`: 1 for the most viewed value of its bundle and dimension, 2 for the next. */
export type ValueRow = readonly [bundleId: number, dimension: Dimension, value: string, views: number, place: number]

/**
 * Counts views by the viewer's properties in their headers, each dimension on its own. A header is parsed once, and a view that
 * resembles the previous one costs one addition.
 */
export class Breakdowns {
  readonly #referrers: HeaderValues<string>
  readonly #languages = new HeaderValues((header) => keyOf('language', primaryLanguage(header)))
  readonly #countries = new HeaderValues((header) => keyOf('country', countryOf(header)?.toUpperCase()))
  readonly #countryHeader: string | undefined
  readonly #dimensions: number
  readonly #profiles = new Map<string, Profile>()
  #latest: Profile = { device: '', language: '', referrer: '', country: '' }
  /** Counters with views in their run. */
  #touched: Counter[] = []
  /** Views before the current run, by value, of counters that have had several runs. */
  #earlier = new Map<Counter, Map<string, number>>()
  #rows = 0

  constructor({ authority, countryHeader }: Partial<Pick<Config, 'authority' | 'countryHeader'>>) {
    // A visit from a page of the service came from no other site.
    this.#referrers = new HeaderValues((origin) => keyOf('referrer', siteOf(origin, authority)))
    this.#countryHeader = countryHeader
    this.#dimensions = countryHeader === undefined ? 3 : 4
  }

  /** The approximate number of rows for the unwritten views. */
  get rows(): number {
    return this.#rows
  }

  /** Counts a view. @param device the key of the device's kind. */
  count(counter: Counter, device: string, headers: Pick<Headers, 'get'>): void {
    const language = this.#languages.of(headers.get('accept-language') ?? '')
    const from = headers.get('referer')
    const referrer = from === null ? DIRECT : this.#referrers.of(dropPath(from))
    const country = this.#countryHeader === undefined ? '' : this.#countries.of(headers.get(this.#countryHeader) ?? '')
    const profile = this.#profile(device, language, referrer, country)
    if (counter.run === 0) {
      this.#touched.push(counter)
      this.#rows += this.#dimensions
    } else if (counter.profile !== profile) this.#rows += this.#endRun(counter)
    counter.run += 1
    counter.profile = profile
  }

  /** The object for four values: the same one each time, until there are too many. */
  #profile(device: string, language: string, referrer: string, country: string): Profile {
    const latest = this.#latest
    if (
      latest.device === device &&
      latest.language === language &&
      latest.referrer === referrer &&
      latest.country === country
    )
      return latest
    // No value contains a line break.
    const key = `${device}\n${language}\n${referrer}\n${country}`
    let profile = this.#profiles.get(key)
    if (profile === undefined) {
      profile = { device, language, referrer, country }
      if (this.#profiles.size >= MAX_PROFILES) this.#profiles.clear()
      this.#profiles.set(key, profile)
    }
    this.#latest = profile
    return profile
  }

  /** Adds the run to the views by value. @returns the number of new values. */
  #endRun(counter: Counter): number {
    let views = this.#earlier.get(counter)
    if (views === undefined) this.#earlier.set(counter, (views = new Map()))
    const before = views.size
    addRun(counter, views)
    counter.run = 0
    return views.size - before
  }

  /** Returns the unwritten views, by bundle, and clears them. */
  take(): ValueRow[] {
    const touched = this.#touched.sort(byBundle)
    const earlier = this.#earlier
    this.#touched = []
    this.#earlier = new Map()
    this.#rows = 0
    const rows: ValueRow[] = []
    for (let from = 0, to = 0; from < touched.length; from = to) {
      const { bundleId } = touched[from]!
      const views = new Map<string, number>()
      for (; touched[to]?.bundleId === bundleId; to += 1) takeFrom(touched[to]!, earlier, views)
      addRows(rows, bundleId, views)
    }
    return rows
  }
}

/** A dimension and a value as one text, so that a bundle needs only one map. `''` is no value. */
function keyOf(dimension: Dimension, value: string | null | undefined): string {
  return `${dimension}:${value ?? ''}`
}

const DIRECT = keyOf('referrer', null)

function addRun({ run, profile }: Counter, views: Map<string, number>): void {
  if (profile === null) return
  const { device, language, referrer, country } = profile
  views.set(device, (views.get(device) ?? 0) + run)
  views.set(language, (views.get(language) ?? 0) + run)
  views.set(referrer, (views.get(referrer) ?? 0) + run)
  if (country !== '') views.set(country, (views.get(country) ?? 0) + run)
}

function takeFrom(
  counter: Counter,
  earlier: ReadonlyMap<Counter, ReadonlyMap<string, number>>,
  views: Map<string, number>,
): void {
  addRun(counter, views)
  counter.run = 0
  for (const [key, count] of earlier.get(counter) ?? []) views.set(key, (views.get(key) ?? 0) + count)
}

/** Adds a row for each of the most viewed values, and one for the rest. */
function addRows(rows: ValueRow[], bundleId: number, views: ReadonlyMap<string, number>): void {
  const places = { referrer: 0, device: 0, language: 0, country: 0 }
  const rest = { ...places }
  for (const [key, count] of [...views].sort(([, one], [, other]) => other - one)) {
    const end = key.indexOf(':')
    const dimension = key.slice(0, end) as Dimension
    places[dimension] += 1
    if (places[dimension] > MAX_VALUES) rest[dimension] += count
    else rows.push([bundleId, dimension, key.slice(end + 1), count, places[dimension]])
  }
  for (const [dimension, count] of Object.entries(rest) as [Dimension, number][]) {
    if (count > 0) rows.push([bundleId, dimension, OTHER_VALUES, count, MAX_VALUES + 1])
  }
}

/**
 * The site that a Referer header names, by its host alone; null if it names none, or names the service itself.
 * @param authority the service's own host and port.
 */
function siteOf(referrer: string, authority: string | undefined): string | null {
  const domain = domainOf(referrer)?.toLowerCase()
  if (domain === undefined || !HOST.test(domain)) return null
  return new URL(referrer).host === authority ? null : domain
}

/** A parsed User-Agent header. */
export interface UserAgent {
  /** Its text, truncated if very long. */
  name: string
  isBot: boolean
  /** The kind of device that it names, in the form of `Breakdowns`. */
  device: string
  /** 64 bits of its SHA-256, as two 32-bit halves. */
  hash: readonly [number, number]
}

/** Caches parsed User-Agents, because most viewers have one of a few. Bots identify themselves well within the length. */
export function userAgents(): HeaderValues<UserAgent> {
  return new HeaderValues(read, { values: 2_000, length: 512 })
}

function read(name: string): UserAgent {
  const digest = hash('sha256', name, 'buffer')
  return {
    name,
    isBot: isbot(name),
    device: keyOf('device', deviceOf(name)),
    hash: [digest.readInt32LE(0), digest.readInt32LE(4)],
  }
}
