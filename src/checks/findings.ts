import type { checkedLinks, LinkState } from '../../db/schema.ts'
import { MAX_URL } from '../core/text.ts'
import { DAY_MS } from '../core/time.ts'

/** Interval between checks of a link. */
export const CHECK_EVERY_MS = 3 * DAY_MS
/** Delay after a failed check: telling a short disturbance from the end of a page must not take two weeks. */
const AGAIN_MS = 1.5 * DAY_MS
/** Delay after a check that could not be made, because `robots.txt` forbids it or the host had too many requests. */
const UNCHECKED_AGAIN_MS = DAY_MS
/** A link is broken after this many failures in a row, over at least this time. */
const FAILURES = 3
const FAILING_MS = 3 * DAY_MS
/** A link has moved after this many probes in a row with permanent redirects to the same address. */
const MOVES = 3
/** After this many of them, the next probe reads the title at that address. */
export const MOVES_BEFORE_TITLE = MOVES - 1

/** The result of probing a link. */
export type CheckResult =
  /** Something is there. `movedTo` is the target of permanent redirects, if any; `title` is that of the page there, if read. */
  | { kind: 'there'; movedTo: string | null; title?: string | null }
  | { kind: 'gone' }
  /** The probe was not made, or not completed. */
  | { kind: 'unchecked' }

/** What is known about a link. */
export type Finding = Pick<
  typeof checkedLinks.$inferSelect,
  | 'url'
  | 'state'
  | 'since'
  | 'failures'
  | 'moves'
  | 'firstAt'
  | 'finalUrl'
  | 'finalTitle'
  | 'dueAt'
  | 'lastNotifiedBundleId'
>

/** What is known about a link after another probe. Pure. @param now in milliseconds since 1970. */
export function after(link: Finding, result: CheckResult, now: number): Finding {
  if (result.kind === 'unchecked') return { ...link, dueAt: now + UNCHECKED_AGAIN_MS }
  if (result.kind === 'gone') return afterFailure(link, now)
  const movedTo = isElsewhere(result.movedTo, link.url) ? result.movedTo : null
  const finalTitle = movedTo === null ? null : (result.title ?? (movedTo === link.finalUrl ? link.finalTitle : null))
  const whole = { ...link, failures: 0, finalUrl: movedTo, finalTitle, dueAt: now + CHECK_EVERY_MS }
  if (movedTo === null) return inState({ ...whole, moves: 0, firstAt: null }, 'ok', now)
  const moves = movedTo === link.finalUrl ? link.moves + 1 : 1
  const firstAt = moves === 1 ? now : (link.firstAt ?? now)
  return inState({ ...whole, moves, firstAt }, moves < MOVES ? 'ok' : 'moved', moves < MOVES ? now : firstAt)
}

function afterFailure(link: Finding, now: number): Finding {
  const failures = link.failures + 1
  const firstAt = failures === 1 ? now : (link.firstAt ?? now)
  const isBroken = failures >= FAILURES && now - firstAt >= FAILING_MS
  const next = { ...link, failures, firstAt, dueAt: now + (isBroken ? CHECK_EVERY_MS : AGAIN_MS) }
  // A former redirect no longer counts: if the link comes back, it must be confirmed again.
  return isBroken ? inState({ ...next, moves: 0, finalUrl: null, finalTitle: null }, 'broken', firstAt) : next
}

function isElsewhere(movedTo: string | null, url: string): movedTo is string {
  return movedTo !== null && movedTo.length <= MAX_URL && movedTo !== new URL(url).href
}

/**
 * A link in a state, since the given time unless it already has that state. Its owners are then to be notified of what is wrong,
 * except those who already were.
 */
function inState(link: Finding, state: LinkState, since: number): Finding {
  const lastNotifiedBundleId = state === 'ok' ? null : 0
  return { ...link, lastNotifiedBundleId, ...(link.state === state ? {} : { state, since }) }
}
