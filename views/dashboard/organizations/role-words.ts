import type { Role } from '../../../src/identity/roles.ts'

/** How roles are called, and what they mean. */
export const ROLE_WORDS: Record<Role, { name: string; does: string; you: string }> = {
  viewer: { name: 'Viewer', does: 'sees bundles and insights', you: 'You see its bundles, versions and insights.' },
  editor: { name: 'Editor', does: 'makes and edits bundles', you: 'You make and edit its bundles.' },
  admin: { name: 'Admin', does: 'manages everything', you: 'You manage its bundles, members and keys.' },
}
