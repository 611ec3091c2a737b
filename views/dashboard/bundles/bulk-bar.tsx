/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import type { Subject } from '../../../src/identity/caller.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, type SignedInUser } from '../../parts/layout.tsx'
import { receiversOf } from '../parts/receivers.ts'
import { listAddress } from './address.ts'

/** The bulk actions; the checkboxes in the list belong to this form. */
export function BulkBar({ listing, user }: { listing: Listing; user: SignedInUser }): JSX.Element {
  const isDeleted = listing.state === 'deleted'
  const { role, acting, userId } = user
  const mayDelete = allowsRole(role, 'admin')
  const owner: Subject =
    acting === null ? { type: 'user', userId } : { type: 'organization', organizationId: acting.id }
  const mayMove = mayDelete && receiversOf(owner, user).length > 0
  return (
    <form id="bulk" class="bulk" method="post" action="/dashboard/bulk" hx-boost="false" aria-label="Selected bundles">
      <input type="hidden" name="back" value={attribute(listAddress(listing).split('?')[1] ?? '')} />
      <span id="chosen" role="status">
        Selected bundles
      </span>
      {!isDeleted && allowsRole(role, 'editor') ? (
        <span class="add-tag">
          <input
            name="tag"
            maxlength={BOUNDS.tag}
            aria-label="Tag for every link of the selected bundles"
            placeholder="Tag every link"
            autocomplete="off"
            dir="auto"
          />
          <BulkButton what="tag" />
        </span>
      ) : (
        ''
      )}
      {isDeleted ? (
        ''
      ) : (
        <button type="button" id="copy-chosen" data-text="">
          <Icon name="copy" />
          <span class="label">Copy links</span>
        </button>
      )}
      {isDeleted ? '' : <BulkButton what="export" />}
      {!isDeleted && mayMove ? <BulkButton what="move" /> : ''}
      {isDeleted && mayDelete ? <BulkButton what="restore" /> : ''}
      {!isDeleted && mayDelete ? <BulkButton what="delete" /> : ''}
      <button type="reset" aria-label="Clear">
        <Icon name="cross" />
      </button>
    </form>
  )
}

const WORDS = {
  tag: { says: 'Add tag', icon: 'tag' },
  export: { says: 'Export', icon: 'download' },
  move: { says: 'Move…', icon: 'move' },
  restore: { says: 'Restore', icon: 'history' },
  delete: { says: 'Delete', icon: 'trash' },
} as const

function BulkButton({ what }: { what: keyof typeof WORDS }): JSX.Element {
  const { says, icon } = WORDS[what]
  return (
    <button type="submit" name="do" value={what}>
      <Icon name={icon} />
      <span>{says}</span>
    </button>
  )
}

/** Whether a role allows any bulk action on this list. */
export function mayChoose({ state }: Listing, role: Role): boolean {
  return state === 'active' || allowsRole(role, 'admin')
}
