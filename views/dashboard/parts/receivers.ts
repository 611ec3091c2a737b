import type { Subject } from '../../../src/identity/caller.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import type { SignedInUser } from '../../parts/layout.tsx'

/** Whom a visitor can move bundles to. */
export interface Receiver {
  /** What forms send: the id of an organisation, or `me`. */
  value: string
  name: string
  subject: Subject
  /** Whether the visitor cannot move them on from there: only admins can. */
  isFinal: boolean
}

/**
 * Whom a visitor can move an owner’s bundles to: the organisations in which they may create bundles, and themselves.
 * @param owner left out of the list.
 */
export function receiversOf(owner: Subject, { userId, organizations }: SignedInUser): Receiver[] {
  const others = organizations
    .filter(
      ({ id, role }) => allowsRole(role, 'editor') && !(owner.type === 'organization' && owner.organizationId === id),
    )
    .map(({ id, name, role }): Receiver => {
      return {
        value: id,
        name,
        subject: { type: 'organization', organizationId: id },
        isFinal: !allowsRole(role, 'admin'),
      }
    })
  if (owner.type === 'user') return others
  const self: Subject = { type: 'user', userId }
  return [...others, { value: 'me', name: 'Your personal workspace', subject: self, isFinal: false }]
}
