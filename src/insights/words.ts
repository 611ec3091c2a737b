import { DEVICE_NAMES } from '../audience/user-agent.ts'
import type { StoredBundle } from '../bundles/edit/bundles.ts'
import { unstressed } from '../core/emphasis.ts'
import { capitalised } from '../core/words.ts'
import { languageNameOf, regionName } from '../policies/facts.ts'
import type { Insights } from './shapes.ts'

// The words of reports, which the page and the files for people share.

interface BreakdownWords {
  nameOf(value: string): string
  /** The label for no value. */
  none: string
  /** The label for values beyond those in the report. */
  other: string
}

export const BREAKDOWN_WORDS: Record<keyof Insights['breakdowns'], BreakdownWords> = {
  referrers: { nameOf: (host) => host, none: 'Direct', other: 'Other sites' },
  devices: {
    nameOf: (device) => capitalised(DEVICE_NAMES[device as keyof typeof DEVICE_NAMES] ?? device),
    none: 'Unknown',
    other: 'Others',
  },
  languages: {
    nameOf(tag) {
      const name = languageNameOf(tag)
      return name === undefined ? tag : `${name} (${tag})`
    },
    none: 'Unknown',
    other: 'Other languages',
  },
  countries: { nameOf: (code) => regionName(code.toUpperCase()) ?? code, none: 'Unknown', other: 'Other countries' },
}

/** The row of viewers who matched no rule. */
export const NO_RULE = 'No rule matched'

/** The first line of each link’s title without its asterisks, those of rules included; a link that is gone has none. */
export function titlesOf({
  urls,
  urlMetadata,
  resolutionPolicy,
}: Pick<StoredBundle, 'urls' | 'urlMetadata' | 'resolutionPolicy'>): Map<string, string> {
  const ofRules = (resolutionPolicy?.rules ?? []).flatMap(({ tabs }) => tabs)
  const own = urls.map((url, at) => ({ url, ...urlMetadata[at] }))
  // For a duplicate link, the first title.
  return new Map(
    [...own, ...ofRules].toReversed().map(({ url, note = '' }) => [url, unstressed(note.trim().split('\n')[0] ?? '')]),
  )
}
