import type { Content } from '../../db/schema.ts'
import type { ProposalInFull } from '../proposals/in-full.ts'

// What a person may choose besides accepting a repair as it is.

/** Where the Wayback Machine has its copies of pages. */
export const ARCHIVE = 'https://web.archive.org/web/'

type Repair = Pick<ProposalInFull, 'proposal' | 'difference'>

/** Where the link of a repair leads now; null if the proposal is none, or the link is broken. */
export function movedTo(repair: Repair): string | null {
  const to = repairedTo(repair)
  return to === null || to.startsWith(ARCHIVE) ? null : to
}

/** The links of a bundle without the broken one of a repair; null if the proposal is none, or nothing would be left. */
export function withoutBroken(
  bundle: Pick<Content, 'urls' | 'urlMetadata'>,
  repair: Repair,
): Pick<Content, 'urls' | 'urlMetadata'> | null {
  const { repairs } = repair.proposal
  if (repairs === null || movedTo(repair) !== null) return null
  const left = bundle.urls.flatMap((url, at) =>
    url === repairs ? [] : [{ url, metadata: bundle.urlMetadata[at] ?? {} }],
  )
  if (left.length === 0 || left.length === bundle.urls.length) return null
  return { urls: left.map(({ url }) => url), urlMetadata: left.map(({ metadata }) => metadata) }
}

function repairedTo({ proposal, difference }: Repair): string | null {
  const { repairs } = proposal
  if (repairs === null) return null
  for (const entry of difference.links) {
    // Of two links that are alike, the difference says what has changed.
    if (entry.kind === 'kept' && entry.changes.url?.from === repairs) return entry.value.url
    if (entry.kind === 'added') return entry.value.url
  }
  return null
}
