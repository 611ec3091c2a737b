import { type Code, STATUS } from './codes.ts'
import type { Issue } from './issue.ts'
import { pathText, sentenceOf } from './issue-words.ts'
import { routes } from './routes.ts'

interface Details {
  headers?: Record<string, string>
  /** Whole seconds, at least 1; only with RATE_LIMITED. */
  retryAfterSeconds?: number
  issues?: readonly Issue[]
  /** The message for users of pages, if `message` is for developers. */
  userMessage?: string
  /** The text typed into a form that is too large, so that its page can show it. */
  typed?: string
  /** The original error, for the log. */
  cause?: unknown
}

/** The request that failed. */
export interface Met {
  /** The id of the request, as in `X-Request-Id` and the log. */
  requestId: string
  /** The address of the service, for links to its documentation. */
  origin: string
}

/**
 * The only error that callers see. `message` is a sentence they can act on. Anything else thrown becomes
 * INTERNAL_ERROR, and its text goes only to the log.
 */
export class Problem extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined
  /** The message for users of pages. */
  readonly userMessage: string
  readonly typed: string | undefined
  #beside: readonly Issue[] = []

  constructor(
    readonly code: Code,
    message: string,
    { headers = {}, retryAfterSeconds, issues = [], userMessage = message, typed, cause }: Details = {},
  ) {
    super(message, { cause })
    this.status = STATUS[code]
    this.issues = issues
    this.userMessage = userMessage
    this.typed = typed
    this.retryAfterSeconds = retryAfterSeconds
    this.headers = retryAfterSeconds === undefined ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) }
  }

  /** The refusal of an unreadable input, with other errors of the call. */
  beside(issues: readonly Issue[]): this {
    this.#beside = issues
    return this
  }

  /** `{ error, code }`, with `errors` if there are several; `error` is the first of them. */
  told(): { error: string; code: Code; errors?: { path: string; message: string }[] } {
    const { message: error, code, issues } = this
    const whole = this.#beside.length === 0 ? [] : [{ path: '', message: error }]
    const errors = [...whole, ...[...issues, ...this.#beside].map(toldOf)]
    return errors.length < 2 ? { error, code } : { error, code, errors }
  }

  /** The body of every transport: the error, `requestId` and `docUrl`, and `retryAfterSeconds` on 429. */
  body({ requestId, origin }: Met) {
    const { code, retryAfterSeconds } = this
    const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
    return { ...this.told(), ...retry, requestId, docUrl: docUrlOf(code, origin) }
  }
}

function toldOf(issue: Issue): { path: string; message: string } {
  return { path: pathText(issue.path), message: sentenceOf(issue) }
}

/** Where a code is explained: its heading in `docs/errors.md`, as this service serves it. */
function docUrlOf(code: Code, origin: string): string {
  return `${origin}${routes.docs.guide.href({ guide: 'errors' })}#${code.toLowerCase()}`
}

/** The refusal of an input. */
export function invalid(issues: readonly Issue[]): Problem {
  const [first] = issues
  if (first === undefined) return new Problem('BAD_REQUEST', 'the body is not valid')
  return new Problem(isUnderUrls(first) ? 'INVALID_URLS' : 'BAD_REQUEST', sentenceOf(first), { issues })
}

/** Fields whose errors have the code INVALID_URLS. */
export const UNDER_URLS: readonly (string | number)[] = ['urls', 'addUrls', 'removeUrls']

/** Whether an issue is under `urls`, `addUrls` or `removeUrls`, unless that field itself is unknown. */
export function isUnderUrls({ path, reason }: Issue): boolean {
  return UNDER_URLS.includes(path[0] ?? '') && (path.length > 1 || reason.code !== 'unknown_field')
}

/** A URL without a page, as opposed to a bundle or a file that is gone. */
export class UnknownUrl extends Problem {}

export function unknownUrl(): UnknownUrl {
  const userMessage = 'The link may be mistyped, or the page may be gone.'
  return new UnknownUrl('NOT_FOUND', 'There is nothing at this URL.', { userMessage })
}

/** Any thrown value as a Problem; an unexpected one reveals nothing to the caller. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  const unavailable = unavailableIn(thrown)
  if (unavailable !== null) {
    // A restart or a failover takes about as long; freeing space takes a person.
    const [after, message] = unavailable.isUnwritable
      ? ['60', 'The service can’t save anything right now, and nothing was changed. Try again in a few minutes.']
      : ['2', 'The database isn’t responding. Try again in a few seconds.']
    return new Problem('STORE_UNAVAILABLE', message, { headers: { 'retry-after': after }, cause: thrown })
  }
  return internalError()
}

/** The error for the service’s own fault. It may have occurred after the effect: the caller must read to find out. */
export function internalError(): Problem {
  return new Problem(
    'INTERNAL_ERROR',
    'Something went wrong on our side. If you were changing something, check whether it was done before you try again.',
  )
}

/** The `StoreUnavailable` (db/unavailable.ts) in an error, or null. drizzle wraps the store’s errors. */
function unavailableIn(thrown: unknown): { isUnwritable?: boolean } | null {
  if (!(thrown instanceof Error)) return null
  const isIt = 'code' in thrown && thrown.code === 'STORE_UNAVAILABLE'
  return isIt ? (thrown as { isUnwritable?: boolean }) : unavailableIn(thrown.cause)
}
