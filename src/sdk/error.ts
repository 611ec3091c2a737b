import type { Code } from '../core/codes.ts'

/** The service’s error codes, and those of failures on the way to it. */
export type OpenallCode =
  | Code
  /** The server could not be reached, or the connection broke. */
  | 'NETWORK_ERROR'
  /** No answer within `timeoutMs`. */
  | 'TIMEOUT'
  /** The caller’s signal aborted the call. */
  | 'ABORTED'
  /** Something other than the service answered: a proxy, or a wrong address. */
  | 'UNEXPECTED_ANSWER'
  /** A request that claims to be a webhook is not signed by the service, or too old. */
  | 'INVALID_SIGNATURE'

/** The only error that this client throws. `message` is a sentence that says what to do. */
export class OpenallError extends Error {
  override readonly name = 'OpenallError'
  readonly code: OpenallCode
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** Seconds to wait before retrying; with RATE_LIMITED, or if a proxy sends it. */
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

  /** In the service’s form: `{ error, code }`, with `retryAfterSeconds` on 429. */
  toJSON(): { error: string; code: OpenallCode; retryAfterSeconds?: number } {
    const { message: error, code, retryAfterSeconds } = this
    return retryAfterSeconds === undefined ? { error, code } : { error, code, retryAfterSeconds }
  }
}
