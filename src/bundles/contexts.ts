import { type Caller, signedIn } from '../identity/caller.ts'
import { hashPassword, type PasswordCost, withHashQueue } from '../identity/passwords.ts'
import { widerNetwork } from '../limits/network.ts'
import type { Context } from '../operations/operation.ts'
import type { Creator } from './creation.ts'
import type { HashPassword } from './passwords.ts'

// The parts of an operation’s context that this feature’s functions take.

/** For functions that change a bundle. */
export function editing({ service: { store, config, blockedHosts, passwordCost }, caller }: Context) {
  return { store, config, blockedHosts, caller: signedIn(caller), hashPassword: hashingFor(caller, passwordCost) }
}

/** For functions that create one, dry runs included. */
export function creating(context: Context, slugField: Creator['slugField']): Creator {
  const { service, caller, client, source } = context
  const { store, config, blockedHosts, passwordCost } = service
  const hashPassword = hashingFor(caller, passwordCost)
  return { store, config, blockedHosts, caller, client, source, slugField, hashPassword }
}

/** Hashes for a caller, in the queue that sign-ins share. */
function hashingFor(caller: Caller, cost: PasswordCost | undefined): HashPassword {
  const who = caller.kind === 'anonymous' ? widerNetwork(caller.address) : `user ${caller.userId}`
  return (password) => withHashQueue(who, 1, () => hashPassword(password, cost))
}
