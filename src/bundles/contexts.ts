import type { Context } from '../core/operation.ts'
import { signedIn } from '../identity/caller.ts'
import type { Creator } from './creation.ts'

// The parts of an operation’s context that this feature’s functions take.

/** For functions that change a bundle. */
export function editing({ service: { store, config, blockedHosts }, caller }: Context) {
  return { store, config, blockedHosts, caller: signedIn(caller) }
}

/** For functions that create one, dry runs included. */
export function creating(context: Context, slugField: Creator['slugField']): Creator {
  const { service, caller, client, source } = context
  const { store, config, blockedHosts } = service
  return { store, config, blockedHosts, caller, client, source, slugField }
}
