import type { Service } from '../core/service.ts'
import type { Caller } from '../identity/caller.ts'
import { countForCaller, countForKey } from '../limits/count-requests.ts'
import { type IdempotentCall, once } from './idempotency.ts'
import type { IdempotentContext } from './operation.ts'

/** A call whose parts are run. */
interface Whole {
  service: Service
  caller: Caller
  /** Null without an idempotency key. */
  keyed: IdempotentCall | null
  /** Headers of the answer, which follow what is left. */
  rateLimitHeaders: Record<string, string> | null
}

/**
 * Counts a part of a call after its first, which is counted with the call, like a call of its own.
 * @returns headers that say what a key has left.
 * @throws Problem RATE_LIMITED.
 */
export async function countPart(service: Service, caller: Caller): Promise<Record<string, string>> {
  const headers = caller.kind === 'key' ? await countForKey(caller.key, service) : {}
  if (caller.kind !== 'anonymous') await countForCaller(service, 'writes', caller)
  return headers
}

/** Runs parts of a call; see `IdempotentContext`. */
export function partsOf({ service, caller, keyed, rateLimitHeaders }: Whole): IdempotentContext['part'] {
  return async (at, input, run) => {
    if (at > 0) Object.assign(rateLimitHeaders ?? {}, await countPart(service, caller))
    if (keyed === null) return run(service.store.write)
    const part = { ...keyed, operation: `${keyed.operation} ${at}`, input }
    return (await once({ store: service.store, secret: service.config.secret }, part, run)).answer
  }
}
