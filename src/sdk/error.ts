import type { Code } from '../core/codes.ts'

/** What the service answers, and what can go wrong on the way to it. */
export type OpenallCode =
  | Code
  /** The server could not be reached, or the connection broke. */
  | 'NETWORK_ERROR'
  /** No answer within `timeoutMs`. */
  | 'TIMEOUT'
  /** The caller's own signal ended the call. */
  | 'ABORTED'
  /** Something answered that is not the service: a proxy, or another address than was meant. */
  | 'UNEXPECTED_ANSWER'

/** The one error of this client. `message` is a sentence that says what to do. */
export class OpenallError extends Error {
  override readonly name = 'OpenallError'
  readonly code: OpenallCode
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  /** Whole seconds to wait before the same call can succeed; with RATE_LIMITED, and where a proxy says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: OpenallCode,
    message: string,
    more: { status?: number; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.status = more.status ?? 0
    this.retryAfterSeconds = more.retryAfterSeconds
  }

  /** As the service sends it: `{ error, code }`, with `retryAfterSeconds` on 429. */
  toJSON(): { error: string; code: OpenallCode; retryAfterSeconds?: number } {
    const { message: error, code, retryAfterSeconds } = this
    return retryAfterSeconds === undefined ? { error, code } : { error, code, retryAfterSeconds }
  }
}
