import { type Code, STATUS } from './codes.ts'

/** One thing wrong with one place of the input. */
export interface Issue {
  /** Keys and indices from the input's root. */
  path: readonly (string | number)[]
  /** What is wrong, as the end of a sentence that begins with the place: `must be an http: or https: URL`. */
  reason: string
}

interface Details {
  headers?: Record<string, string>
  /** Whole seconds, at least 1; only with RATE_LIMITED. */
  retryAfterSeconds?: number
  /** All that is wrong with the input, for pages that show errors beside fields. */
  issues?: readonly Issue[]
}

/**
 * The only error a caller ever sees. `message` is a sentence its reader can act on; anything else
 * that is thrown becomes INTERNAL_ERROR, and its text goes to the log alone (spec 7).
 */
export class Problem extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: Code,
    message: string,
    { headers = {}, retryAfterSeconds, issues = [] }: Details = {},
  ) {
    super(message)
    this.status = STATUS[code]
    this.issues = issues
    this.retryAfterSeconds = retryAfterSeconds
    this.headers = retryAfterSeconds === undefined ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) }
  }

  /** The body that every transport sends: `{ error, code }`, with `retryAfterSeconds` on 429. */
  toJSON() {
    const { message: error, code, retryAfterSeconds } = this
    return retryAfterSeconds === undefined ? { error, code } : { error, code, retryAfterSeconds }
  }
}

/** The Problem that stands for any thrown value; what is not a Problem tells the caller nothing. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  return new Problem('INTERNAL_ERROR', 'Something went wrong on our side. It is safe to try again.')
}
