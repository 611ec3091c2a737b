import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { Role } from '../../../src/identity/roles.ts'
import type { SignedInUser } from '../../parts/layout.tsx'

/** A visitor's role over a bundle they may see, whichever subject they act for. */
export function roleOver({ owner }: Pick<StoredBundle, 'owner'>, { organizations }: SignedInUser): Role {
  if (owner.type === 'user') return 'admin'
  return organizations.find(({ id }) => id === owner.organizationId)?.role ?? 'viewer'
}
