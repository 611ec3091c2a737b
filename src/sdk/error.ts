import type { Code } from '../core/codes.ts'

/** The service’s error codes, and those of failures before a call reaches it. */
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

/** The error of one field of an input: its JSON path, such as `urls[3]`, and a sentence that names it. */
export interface InputError {
  path: string
  message: string
}

/** An error as the service sends it; the last two fields are present if the service sent it. */
export interface ErrorBody {
  error: string
  code: OpenallCode
  /** The error of each field of the input, if there is more than one. */
  errors?: readonly InputError[]
  /** With RATE_LIMITED. */
  retryAfterSeconds?: number
  requestId?: string
  docUrl?: string
}

/** The only error that this client throws. `message` is a sentence that says what to do. */
export class OpenallError extends Error {
  override readonly name = 'OpenallError'
  readonly code: OpenallCode
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** All errors in the input, if there are several; up to 100. `message` has the first. */
  readonly errors: readonly InputError[]
  /** Seconds to wait before retrying; with RATE_LIMITED, or if a proxy sends it. */
  readonly retryAfterSeconds: number | undefined
  /** The id by which the operator finds the request in the log; undefined if the service did not answer. */
  readonly requestId: string | undefined
  /** The server's documentation of the code; undefined if the service did not answer. */
  readonly docUrl: string | undefined

  constructor(
    code: OpenallCode,
    message: string,
    more: {
      status?: number
      errors?: readonly InputError[]
      retryAfterSeconds?: number | undefined
      requestId?: string | undefined
      docUrl?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.status = more.status ?? 0
    this.errors = more.errors ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
    this.requestId = more.requestId
    this.docUrl = more.docUrl
  }

  /** The body that the service sent; if the call did not reach it, `{ error, code }`. */
  toJSON(): ErrorBody {
    const { message: error, code, errors, retryAfterSeconds, requestId, docUrl } = this
    return {
      error,
      code,
      ...(errors.length === 0 ? {} : { errors }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(docUrl === undefined ? {} : { docUrl }),
    }
  }
}
