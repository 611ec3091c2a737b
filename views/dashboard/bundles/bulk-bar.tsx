/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { Listing } from '../../../src/bundles/shapes.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import { attribute } from '../../parts/layout.tsx'
import { listAddress } from './address.ts'

/** What can be done to the bundles that are chosen in the list; the boxes there belong to this form. */
export function BulkBar({ asked, role }: { asked: Listing; role: Role }): JSX.Element {
  const isDeleted = asked.state === 'deleted'
  const mayDelete = allowsRole(role, 'admin')
  return (
    <form id="bulk" class="bulk" method="post" action="/dashboard/bulk" hx-boost="false" aria-label="Chosen bundles">
      <input type="hidden" name="back" value={attribute(listAddress(asked).split('?')[1] ?? '')} />
      <span id="chosen" class="hint" role="status">
        Chosen bundles
      </span>
      {!isDeleted && allowsRole(role, 'editor') ? (
        <span class="add-tag">
          <input
            name="tag"
            maxlength={BOUNDS.tag}
            aria-label="Tag for every link of the chosen bundles"
            placeholder="Tag every link"
            autocomplete="off"
            dir="auto"
          />
          <Do what="tag" />
        </span>
      ) : (
        ''
      )}
      {isDeleted ? '' : <Do what="export" />}
      {isDeleted && mayDelete ? <Do what="restore" /> : ''}
      {!isDeleted && mayDelete ? <Do what="delete" /> : ''}
      <button type="reset" class="small">
        Clear
      </button>
    </form>
  )
}

const WORDS = { tag: 'Add tag', export: 'Export JSON', restore: 'Restore', delete: 'Delete' } as const

function Do({ what }: { what: keyof typeof WORDS }): JSX.Element {
  return (
    <button type="submit" name="do" value={what} class={['small', what === 'delete' && 'danger']}>
      {WORDS[what]}
    </button>
  )
}

/** Whether somebody with a role can do anything to several bundles here. */
export function mayChoose({ state }: Listing, role: Role): boolean {
  return state === 'active' || allowsRole(role, 'admin')
}
