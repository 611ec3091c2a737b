import data, {
  type BrowserName,
  type CompatStatement,
  type Identifier,
  type SimpleSupportStatement,
} from '@mdn/browser-compat-data'

/** The oldest supported version of each browser. */
export type Targets = Record<string, string>

const ANDROID = { chrome_android: 'chrome', firefox_android: 'firefox' }

/** As docs/browsers.md has them. */
const LAUNCHER = { chrome: '100', edge: '100', firefox: '100', safari: '15.4', safari_ios: '15.4' }

export const TARGETS: Record<'launcher' | 'dashboard', Targets> = {
  launcher: withAndroid(LAUNCHER),
  // What was current three years before the data was made, so that a check has one answer until the data is updated.
  dashboard: withAndroid(
    Object.fromEntries(Object.keys(LAUNCHER).map((browser) => [browser, currentOn(yearsBefore(3), browser)])),
  ),
}

function withAndroid(versions: Targets): Targets {
  const android = Object.entries(ANDROID).map(([phone, desktop]) => [phone, versions[desktop] ?? ''])
  return { ...versions, ...Object.fromEntries(android) }
}

function yearsBefore(years: number): string {
  const day = new Date(data.__meta.timestamp)
  day.setUTCFullYear(day.getUTCFullYear() - years)
  return day.toISOString().slice(0, 10)
}

function currentOn(day: string, browser: string): string {
  const releases = Object.entries(data.browsers[browser as BrowserName].releases)
  const known = releases.flatMap(([version, { release_date = '9' }]) => (release_date <= day ? [version] : []))
  return known.toSorted(byVersion).at(-1) ?? ''
}

/** A feature by its place in the data, such as `css/selectors/has`, or undefined if the data has none. */
export function featureAt(path: string): CompatStatement | undefined {
  let at: unknown = data
  for (const part of path.split('/')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined
    at = at[part as keyof typeof at]
  }
  return (at as Identifier).__compat
}

/** The browsers among the targets whose oldest version lacks a feature, with the version that brought it. */
export function lackingAt(path: string, targets: Targets): string[] {
  const support = featureAt(path)?.support
  if (support === undefined) return []
  return Object.entries(targets).flatMap(([browser, version]) => {
    const statements = [support[browser as BrowserName] ?? []].flat()
    const since = statements.map(({ version_added }) => version_added)
    if (statements.length === 0 || statements.some((statement) => covers(statement, version))) return []
    return [`${browser} ${version} (since ${since.join(', ')})`]
  })
}

/** What a statement says about a feature that is there in part, under another name, or not until it is switched on. */
const LESS_THAN_WHOLE = ['partial_implementation', 'prefix', 'alternative_name', 'flags']

function covers(statement: SimpleSupportStatement, version: string): boolean {
  if (LESS_THAN_WHOLE.some((key) => key in statement)) return false
  const { version_added, version_removed } = statement
  if (typeof version_removed === 'string' && byVersion(version_removed, version) <= 0) return false
  return typeof version_added === 'string' && version_added !== 'preview' && byVersion(version_added, version) <= 0
}

function byVersion(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.replace('≤', '').split('.').map(Number))
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
