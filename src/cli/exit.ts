import { OpenallError } from '../sdk/openall.ts'

/** Exit codes; docs/cli.md lists them. */
export const EXIT = {
  done: 0,
  failure: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  limit: 6,
  /** Shares the code of `limit`: nothing is wrong, but it cannot be done here and now. */
  noBrowser: 6,
} as const

/** A wrong command line or input: nothing was sent. */
export class UsageError extends Error {}

const BY_STATUS: Record<number, number> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  413: EXIT.usage,
  429: EXIT.limit,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (!(error instanceof OpenallError) || error.code === 'UNEXPECTED_ANSWER') return EXIT.failure
  return error.code === 'PLAN_LIMIT' ? EXIT.limit : (BY_STATUS[error.status] ?? EXIT.failure)
}
