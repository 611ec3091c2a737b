import type { Content } from '../../db/schema.ts'
import type { ProposalInFull } from '../proposals/present.ts'

// The choices of a person besides accepting a repair as it is.

/** The beginning of the addresses of copies in the Wayback Machine. */
export const ARCHIVE = 'https://web.archive.org/web/'

type Repair = Pick<ProposalInFull, 'proposal' | 'difference'>

/** Where the link of a repair leads now; null if the proposal is not a repair or the link is broken. */
export function movedTo(repair: Repair): string | null {
  const to = repairedTo(repair)
  return to === null || to.startsWith(ARCHIVE) ? null : to
}

/** A bundle’s links without the broken one; null if the proposal does not repair one of them, or no link would be left. */
export function dropBroken(
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
    // If two links are similar, the difference tells which one has changed.
    if (entry.kind === 'kept' && entry.changes.url?.from === repairs) return entry.value.url
    if (entry.kind === 'added') return entry.value.url
  }
  return null
}
