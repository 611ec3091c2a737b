/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import type { Subject } from '../../../src/identity/caller.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
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
    <form
      id="bulk"
      class="bulk cluster"
      method="post"
      action="/dashboard/bulk"
      hx-boost="false"
      aria-label="Selected bundles"
    >
      <input type="hidden" name="back" value={attribute(listAddress(listing).split('?')[1] ?? '')} />
      <span id="chosen" class="hint" role="status">
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
      {isDeleted ? '' : <BulkButton what="export" />}
      {!isDeleted && mayMove ? <BulkButton what="move" /> : ''}
      {isDeleted && mayDelete ? <BulkButton what="restore" /> : ''}
      {!isDeleted && mayDelete ? <BulkButton what="delete" /> : ''}
      <button type="reset" class="small">
        Clear
      </button>
    </form>
  )
}

const WORDS = { tag: 'Add tag', export: 'Export', move: 'Move…', restore: 'Restore', delete: 'Delete' } as const

function BulkButton({ what }: { what: keyof typeof WORDS }): JSX.Element {
  return (
    <button type="submit" name="do" value={what} class={['small', what === 'delete' && 'danger']}>
      {WORDS[what]}
    </button>
  )
}

/** Whether a role allows any bulk action on this list. */
export function mayChoose({ state }: Listing, role: Role): boolean {
  return state === 'active' || allowsRole(role, 'admin')
}
