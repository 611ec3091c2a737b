import type { Role } from '../../src/identity/caller.ts'

/** The names of the roles with their descriptions. */
export const ROLE_WORDS: Record<Role, { name: string; one: string; does: string; you: string }> = {
  viewer: {
    name: 'Viewer',
    one: 'a viewer',
    does: 'can see bundles and insights, and suggest changes',
    you: 'You can see its bundles, versions and insights.',
  },
  editor: {
    name: 'Editor',
    one: 'an editor',
    does: 'can also create and edit bundles',
    you: 'You can create and edit its bundles.',
  },
  admin: {
    name: 'Admin',
    one: 'an admin',
    does: 'can also manage people, API keys and settings',
    you: 'You can manage its bundles, members and API keys.',
  },
}
