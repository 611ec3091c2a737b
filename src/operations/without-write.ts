import type { Store } from '../../db/client.ts'
import type { Service } from '../core/service.ts'

const guarded = new WeakMap<Service, Service>()

/**
 * The service with a store that refuses writes: a dry run must not write, and an idempotent operation only through
 * `commit`, or a retry would repeat the write. Created once per service.
 */
export function withoutWrite(service: Service): Service {
  let made = guarded.get(service)
  if (made === undefined) {
    const store: Store = Object.create(service.store, { write: { value: refuse }, writeCounters: { value: refuse } })
    made = Object.create(service, { store: { value: store } }) as Service
    guarded.set(service, made)
  }
  return made
}

async function refuse(): Promise<never> {
  throw new Error('idempotent operations must write through commit, and dry runs must not write')
}
