import type { checkedLinks, LinkState } from '../../db/schema.ts'
import { MAX_URL } from '../core/text.ts'
import { DAY_MS } from '../core/time.ts'

/** From one look at a link to the next. */
export const LOOK_EVERY_MS = 3 * DAY_MS
/** After one that found nothing: a short disturbance must not take two weeks to be told from an end. */
const AGAIN_MS = 1.5 * DAY_MS
/** After one that could not be made: `robots.txt` forbids it today, or the host had too many requests. */
const UNSEEN_AGAIN_MS = DAY_MS
/** A link is broken after so many failures in a row, over so long. */
const FAILURES = 3
const FAILING_MS = 3 * DAY_MS
/** A link has moved once so many looks in a row were led to the same place for good. */
const MOVES = 3
/** After so many of them, the next look reads the title of that place. */
export const MOVES_BEFORE_TITLE = MOVES - 1

/** What a look at a link found. */
export type Seen =
  /** Something is there; where it was led for good, if it was; and the title of the page there, if that was read. */
  | { kind: 'there'; movedTo: string | null; title?: string | null }
  | { kind: 'gone' }
  /** Nothing was asked for, or not to the end. */
  | { kind: 'unseen' }

/** What is known of a link. */
export type Finding = Pick<
  typeof checkedLinks.$inferSelect,
  'url' | 'state' | 'since' | 'failures' | 'moves' | 'firstAt' | 'finalUrl' | 'finalTitle' | 'dueAt' | 'toldUpTo'
>

/** What is known of a link after another look, at a time in milliseconds since 1970. Pure. */
export function after(link: Finding, seen: Seen, now: number): Finding {
  if (seen.kind === 'unseen') return { ...link, dueAt: now + UNSEEN_AGAIN_MS }
  if (seen.kind === 'gone') return afterFailure(link, now)
  const movedTo = isElsewhere(seen.movedTo, link.url) ? seen.movedTo : null
  const finalTitle = movedTo === null ? null : (seen.title ?? (movedTo === link.finalUrl ? link.finalTitle : null))
  const whole = { ...link, failures: 0, finalUrl: movedTo, finalTitle, dueAt: now + LOOK_EVERY_MS }
  if (movedTo === null) return inState({ ...whole, moves: 0, firstAt: null }, 'ok', now)
  const moves = movedTo === link.finalUrl ? link.moves + 1 : 1
  const firstAt = moves === 1 ? now : (link.firstAt ?? now)
  return inState({ ...whole, moves, firstAt }, moves < MOVES ? 'ok' : 'moved', moves < MOVES ? now : firstAt)
}

function afterFailure(link: Finding, now: number): Finding {
  const failures = link.failures + 1
  const firstAt = failures === 1 ? now : (link.firstAt ?? now)
  const isBroken = failures >= FAILURES && now - firstAt >= FAILING_MS
  const next = { ...link, failures, firstAt, dueAt: now + (isBroken ? LOOK_EVERY_MS : AGAIN_MS) }
  // Where it was led is not known any more: should it come back, it must hold anew.
  return isBroken ? inState({ ...next, moves: 0, finalUrl: null, finalTitle: null }, 'broken', firstAt) : next
}

function isElsewhere(movedTo: string | null, url: string): movedTo is string {
  return movedTo !== null && movedTo.length <= MAX_URL && movedTo !== new URL(url).href
}

/**
 * A link in a state, since a time unless it is in that state already. What is wrong with it is then to be told, to those who were
 * told of it already not again.
 */
function inState(link: Finding, state: LinkState, since: number): Finding {
  const toldUpTo = state === 'ok' ? null : 0
  return { ...link, toldUpTo, ...(link.state === state ? {} : { state, since }) }
}
