/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import type { Fate, Holdings } from '../../../src/identity/holdings.ts'
import { PasswordField } from '../../account/account-fields.tsx'
import { Alert } from '../../parts/fields.tsx'
import { Confirm, Retyped } from '../parts/confirm.tsx'
import { Lost } from '../parts/holdings.tsx'
import { ExportLink } from '../parts/proof.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

interface DeleteAccountProps {
  site: DashboardSite
  takes: Holdings & { organizations: Fate[] }
  /** What proves that it is the owner who asks. */
  proof: 'password' | 'none' | 'signInAgain'
  errors: { email?: string; password?: string; form?: string }
}

/** Asks before an account is deleted, and says what goes with it. */
export function DeleteAccountView({ site, takes, proof, errors }: DeleteAccountProps): JSX.Element {
  const fated = (fate: Fate['fate']) => takes.organizations.filter((one) => one.fate === fate)
  const blocking = fated('blocks')
  const canGo = blocking.length === 0 && proof !== 'signInAgain'
  return (
    <Confirm
      title="Delete your account?"
      action="/dashboard/settings/delete"
      button={canGo ? 'Delete my account' : undefined}
      back="/dashboard/settings"
      boost="false"
      fields={canGo ? <Proof email={site.viewer.email} proof={proof} errors={errors} /> : ''}
    >
      <Alert text={errors.form} />
      <p>This cannot be taken back. With it go, at once and for good:</p>
      <ul>
        <Lost bundles={takes.bundles} keys={takes.keys} whose=" of your own" />
        {
          fated('goes').map(({ name, bundles, keys }) => (
            <li>
              {'the organisation '}
              <Called name={name} />
              <span
                safe
              >{`, which has nobody else, with ${count(bundles, 'bundle')} and ${count(keys, 'API key')}`}</span>
            </li>
          )) as 'safe'[]
        }
        <li>your name, your address and every sign-in</li>
      </ul>
      {fated('stays').length === 0 ? (
        ''
      ) : (
        <p>
          {'What you made for '}
          <Names organizations={fated('stays')} />
          {' stays with its members; keys that you made for it stop working.'}
        </p>
      )}
      {
        blocking.map(({ id, name }) => (
          <p class="alert">
            {'You are the only admin of '}
            <Called name={name} />
            {', which has other members. '}
            <a href={`/dashboard/organizations/${id}`}>Make one of them admin, or delete it</a>
            {'. Then come back.'}
          </p>
        )) as 'safe'[]
      }
      {proof === 'signInAgain' ? (
        <p class="alert">
          You have no password and signed in more than a day ago. Sign out, sign in again, and come back: so we know
          that it is you.
        </p>
      ) : (
        ''
      )}
      <p>
        <ExportLink site={site} label="Export all your data" back="/dashboard/settings/delete" isPlain />
        {' first, if you may want it.'}
      </p>
    </Confirm>
  )
}

function Names({ organizations }: { organizations: Fate[] }): JSX.Element {
  return (
    <>
      {
        organizations.map(({ name }, index) => (
          <>
            {index === 0 ? '' : index === organizations.length - 1 ? ' and ' : ', '}
            <Called name={name} />
          </>
        )) as 'safe'[]
      }
    </>
  )
}

function Called({ name }: { name: string }): JSX.Element {
  return (
    <strong dir="auto" safe>
      {name}
    </strong>
  )
}

function Proof({ email, proof, errors }: { email: string } & Pick<DeleteAccountProps, 'proof' | 'errors'>) {
  return (
    <>
      <Retyped name="email" error={errors.email}>
        <strong safe>{email}</strong>
      </Retyped>
      {proof === 'password' ? <PasswordField autocomplete="current-password" error={errors.password} /> : ''}
    </>
  )
}
