/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { allowsRole, type Role } from '../../../src/identity/roles.ts'
import { headingOf } from '../../launcher/launcher.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, type SignedInUser } from '../../parts/layout.tsx'
import { Form } from './panel.tsx'
import { receiversOf } from './receivers.ts'

type BundleMenuProps = PropsWithChildren<{ bundle: StoredBundle; user: SignedInUser; role: Role }>

/** The menu of actions on a bundle; children are further items. */
export function BundleMenu({ bundle, user, role, children }: BundleMenuProps): JSX.Element {
  const { slug } = bundle
  return (
    <details class="menu" name="menu">
      <summary class="quiet" aria-label={attribute(`More for ${headingOf(bundle)}`)}>
        <Icon name="more" />
      </summary>
      <div class="pop">
        <a class="item" href={`/l/${slug}`} target="_blank" rel="noopener">
          Open the launcher
        </a>
        {allowsRole(role, 'editor') ? (
          <a class="item" href={`/dashboard/links/new?from=${slug}`}>
            Duplicate
          </a>
        ) : (
          ''
        )}
        {children}
        {allowsRole(role, 'admin') && receiversOf(bundle.owner, user).length > 0 ? (
          <a class="item" href={`/dashboard/links/${slug}/move`}>
            Move…
          </a>
        ) : (
          ''
        )}
        {allowsRole(role, 'admin') ? (
          <Form action={`/dashboard/links/${slug}/delete`} button="Delete" look="item danger" />
        ) : (
          ''
        )}
      </div>
    </details>
  )
}
