// Apart from what sends calls, so that the published types name nothing of the table of operations.

/** How calls are made; each may be said for all calls of a client, or for one. */
export interface CallOptions {
  /** Ends the call, its waits included: it then fails with `ABORTED`. */
  signal?: AbortSignal | undefined
  /** How long one try may take, in milliseconds; 30 000 where nothing is said. */
  timeoutMs?: number | undefined
  /** How often a call is tried again that failed for a passing reason and can do no harm twice; 2 where nothing is said. */
  retries?: number | undefined
  /** A server that asks for a longer wait than this, in milliseconds, is not waited for; 60 000 where nothing is said. */
  maxWaitMs?: number | undefined
}

/** All that came with a body. */
export interface Answer<Body> {
  body: Body
  status: number
  headers: Headers
  /** The bundle's version (its ETag), to be given as `expectedVersion`; null where the answer is no bundle. */
  version: number | null
}
