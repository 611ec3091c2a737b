// Separate from the code that sends calls, so that the published types do not refer to the table of operations.

/** Options of calls, for all calls of a client or for a single one. */
export interface CallOptions {
  /** Aborts the call, including waits; it then fails with `ABORTED`. */
  signal?: AbortSignal | undefined
  /** Timeout of one attempt, in milliseconds; default 30 000. */
  timeoutMs?: number | undefined
  /** How often a call is retried after a transient failure, if that is safe; default 2. */
  retries?: number | undefined
  /** The longest `Retry-After` to wait for, in milliseconds; default 60 000. */
  maxWaitMs?: number | undefined
}

/** A response with its body. */
export interface Answer<Body> {
  body: Body
  status: number
  headers: Headers
  /** The bundle’s version (its ETag), for `expectedVersion`; null if the answer is not a bundle. */
  version: number | null
}
