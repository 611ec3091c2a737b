import type { Store } from '../../db/client.ts'
import type { Policy } from '../../db/policy.ts'
import type { SignedIn } from '../identity/caller.ts'
import { loadFor } from './access.ts'
import { merged } from './merge.ts'
import { passwordHashOf } from './passwords.ts'
import type { Duplication, NewBundle } from './shapes.ts'

/**
 * The input that creates a copy of a bundle: its current content, overridden by what was sent. Anyone who may read the
 * original may copy it; creating checks whether they may create bundles. The copy has the original’s password unless
 * another was sent: a copy must not be easier to see.
 * @throws Problem NOT_FOUND, FORBIDDEN; BAD_REQUEST for more metadata than URLs.
 */
export async function copyOf(
  { db }: Store,
  caller: SignedIn,
  { slug, newSlug, source, password, ...changes }: Duplication,
): Promise<{ input: NewBundle; keptPassword: string | null }> {
  const original = await loadFor(db, caller, slug, 'viewer')
  const { resolutionPolicy = withoutIds(original.resolutionPolicy) } = changes
  const content = merged(original, changes)
  const isKept = content.access === 'password' && original.access === 'password' && password === undefined
  const input = {
    ...content,
    resolutionPolicy,
    ...(password === undefined ? {} : { password }),
    ...(newSlug === undefined ? {} : { slug: newSlug }),
    ...(source === undefined ? {} : { source }),
  }
  return { input, keptPassword: isKept ? await passwordHashOf({ db }, original.id) : null }
}

/** The rules without ids, because an id belongs to one bundle for good (decisions 6). */
function withoutIds(policy: Policy | null): NewBundle['resolutionPolicy'] {
  return policy && { ...policy, rules: policy.rules.map(({ id: _, ...rule }) => rule) }
}
