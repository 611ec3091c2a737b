import type { Content } from '../../db/schema.ts'
import { Problem } from '../core/problem.ts'

/** When a bundle opens and closes, in milliseconds since 1970. */
export interface Times {
  opensAt: number
  closesAt: number
  closedNote: string | null
}

/** Why viewers do not see a bundle now, in milliseconds since 1970. */
export type Outside = { kind: 'before'; opensAt: number } | { kind: 'after'; closesAt: number; note: string | null }

/** The times of a bundle; null if it is always open. */
export function timesOf({
  opensAt,
  closesAt,
  closedNote,
}: Pick<Content, 'opensAt' | 'closesAt' | 'closedNote'>): Times | null {
  if (opensAt === null && closesAt === null) return null
  return {
    opensAt: opensAt === null ? Number.NEGATIVE_INFINITY : Date.parse(opensAt),
    closesAt: closesAt === null ? Number.POSITIVE_INFINITY : Date.parse(closesAt),
    closedNote,
  }
}

/** Whether a bundle is open: from the instant at which it opens, up to the instant at which it closes. */
export function isOpen({ opensAt, closesAt }: Times, now: number): boolean {
  return opensAt <= now && now < closesAt
}

/** Why a bundle is not open; null if it is. */
export function outsideOf(times: Times | null, now: number): Outside | null {
  if (times === null || isOpen(times, now)) return null
  const { opensAt, closesAt, closedNote } = times
  return now < opensAt ? { kind: 'before', opensAt } : { kind: 'after', closesAt, note: closedNote }
}

/** The error for viewers of a bundle that is not open. */
export function notOpen(outside: Outside): Problem {
  if (outside.kind === 'after') {
    const userMessage = 'This bundle has closed.'
    return new Problem('CLOSED', outside.note === null ? userMessage : `${userMessage} ${outside.note}`, {
      userMessage,
    })
  }
  return new Problem('NOT_OPEN_YET', `This bundle opens at ${new Date(outside.opensAt).toISOString()}.`, {
    userMessage: 'This page isn’t open yet.',
  })
}
