/** @jsxImportSource @kitajs/html */

import type { AffectedOrganization, OwnedData } from '../../../src/accounts/owned-data.ts'
import { count } from '../../../src/core/words.ts'
import { PasswordField } from '../../parts/account-fields.tsx'
import { Each } from '../../parts/each.tsx'
import { Alert } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Confirm, ConfirmByTyping } from '../parts/confirm.tsx'
import type { FormErrors } from '../parts/form.tsx'
import { OwnedDataItems } from '../parts/owned-data.tsx'
import { ExportLink, toSignIn } from '../parts/proof.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

interface DeleteAccountProps {
  site: DashboardSite
  takes: OwnedData & { organizations: AffectedOrganization[] }
  /** How the visitor proves that the account is theirs. */
  proof: 'password' | 'none' | 'signInAgain'
  errors: FormErrors<'email' | 'password'>
}

/** Asks before an account is deleted, and lists what is deleted with it. */
export function DeleteAccountView({ site, takes, proof, errors }: DeleteAccountProps): JSX.Element {
  const affected = (effect: AffectedOrganization['effect']) =>
    takes.organizations.filter((one) => one.effect === effect)
  const blocking = affected('blocks')
  const canGo = blocking.length === 0 && proof !== 'signInAgain'
  return (
    <Confirm
      title="Delete your account?"
      action="/dashboard/settings/delete"
      button={canGo ? 'Delete account' : undefined}
      back="/dashboard/settings"
      boost="false"
      fields={canGo ? <Proof email={site.user.email} proof={proof} errors={errors} /> : ''}
    >
      <Alert text={errors.form} />
      <p>You can’t undo this. It permanently deletes:</p>
      <ul>
        <OwnedDataItems bundles={takes.bundles} keys={takes.keys} whose=" of your own" />
        <Each
          of={affected('deleted')}
          show={({ name, bundles, keys }) => (
            <li>
              {'the organisation '}
              <Name name={name} />
              <span
                safe
              >{`, where you’re the only member, with ${count(bundles, 'bundle')} and ${count(keys, 'API key')}`}</span>
            </li>
          )}
        />
        <li>your name, email address and all sign-ins</li>
      </ul>
      {affected('kept').length === 0 ? (
        ''
      ) : (
        <p>
          {'Bundles you created for '}
          <Names organizations={affected('kept')} />
          {' stay with its members. API keys you created for it stop working.'}
        </p>
      )}
      <Each
        of={blocking}
        show={({ id, name }) => (
          <p class="alert">
            {'You’re the only admin of '}
            <Name name={name} />
            {', which has other members. First, '}
            <a href={`/dashboard/organizations/${id}`}>make one of them an admin or delete the organisation</a>
            {'.'}
          </p>
        )}
      />
      {proof === 'signInAgain' ? (
        <p class="alert">
          To make sure it’s you, deleting your account needs a sign-in from the last 24 hours.{' '}
          <a href={attribute(toSignIn('/dashboard/settings/delete'))} hx-boost="false">
            Sign in again
          </a>
          .
        </p>
      ) : (
        ''
      )}
      <p>
        <ExportLink site={site} label="Export your data" back="/dashboard/settings/delete" isPlain />
        {' first if you might need it.'}
      </p>
    </Confirm>
  )
}

function Names({ organizations }: { organizations: AffectedOrganization[] }): JSX.Element {
  return (
    <Each
      of={organizations}
      show={({ name }, index) => (
        <>
          {index === 0 ? '' : index === organizations.length - 1 ? ' and ' : ', '}
          <Name name={name} />
        </>
      )}
    />
  )
}

function Name({ name }: { name: string }): JSX.Element {
  return (
    <strong dir="auto" safe>
      {name}
    </strong>
  )
}

function Proof({ email, proof, errors }: { email: string } & Pick<DeleteAccountProps, 'proof' | 'errors'>) {
  return (
    <>
      <ConfirmByTyping name="email" error={errors.email}>
        <strong safe>{email}</strong>
      </ConfirmByTyping>
      {proof === 'password' ? <PasswordField autocomplete="current-password" error={errors.password} /> : ''}
    </>
  )
}
