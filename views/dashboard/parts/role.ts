import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Role } from '../../../src/identity/roles.ts'
import type { Viewer } from '../../parts/layout.tsx'

/** What somebody is over a bundle that they may see, whomever they act for (decisions 3). */
export function roleOver({ owner }: Pick<StoredBundle, 'owner'>, { organizations }: Viewer): Role {
  if (owner.type === 'user') return 'admin'
  return organizations.find(({ id }) => id === owner.organizationId)?.role ?? 'viewer'
}
