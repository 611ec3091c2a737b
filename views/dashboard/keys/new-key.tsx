/** @jsxImportSource @kitajs/html */

import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { NameField, TextField } from '../../parts/fields.tsx'
import { Choices, type FormErrors, FormPage, SecretPage } from '../parts/form.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { SCOPES } from './scopes.ts'

export interface KeyForm {
  name: string
  scope: string
  rateLimitPerHour: string
  idempotencyKey: string
  errors: FormErrors<'name' | 'scopes' | 'rateLimitPerHour'>
}

/** Create a key. */
export function NewKeyView({ site, form }: { site: DashboardSite; form: KeyForm }): JSX.Element {
  const { name, scope, rateLimitPerHour, idempotencyKey, errors } = form
  const { acting } = site.user
  const lede =
    acting === null
      ? 'For the bundles in your personal workspace.'
      : `For the bundles of ${acting.name}, with your role there. It stops working if you leave.`
  return (
    <FormPage
      title="Create API key"
      lede={lede}
      error={errors.form}
      action="/dashboard/keys/new"
      button="Create API key"
      back="/dashboard/keys"
      idempotencyKey={idempotencyKey}
    >
      <NameField
        error={errors.name}
        value={name}
        required
        autocomplete="off"
        autofocus={name === ''}
        hint="Name it after where you’ll use it, like “nightly import”."
      />
      <Choices
        name="scope"
        legend="Permissions"
        type="radio"
        options={Object.entries(SCOPES).map(([value, { name: label, allows }]) => [value, label, allows])}
        chosen={[scope]}
        hint="You can’t change this later. Give it no more than it needs."
        error={errors.scopes}
      />
      <TextField
        id="rateLimitPerHour"
        label="Requests per hour"
        error={errors.rateLimitPerHour}
        value={rateLimitPerHour}
        class="short"
        type="number"
        min="0"
        max="100000"
        step="1"
        required
        inputmode="numeric"
        hint="Up to 100,000. Enter 0 for no limit. Requests beyond this get a 429 error."
      />
    </FormPage>
  )
}

interface KeyMadeProps {
  site: DashboardSite
  made: { apiKey: KeyInfo; rawKey: string }
}

/** The only page that shows a key. */
export function KeyMadeView({ site, made: { apiKey, rawKey } }: KeyMadeProps): JSX.Element {
  return (
    <SecretPage
      title="API key created"
      lede={apiKey.name}
      id="key"
      label="API key"
      secret={rawKey}
      next="/dashboard/keys"
      below={
        <section class="panel">
          <h2>Try it</h2>
          <pre class="code" tabindex="0" safe>{`curl ${site.origin}/api/me \\\n  -H "Authorization: Bearer $KEY"`}</pre>
        </section>
      }
    >
      <strong>Copy it now.</strong> You won’t see it again. Keep it somewhere safe, and never put it in a web page or a
      public repository.
    </SecretPage>
  )
}
