/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { Scope } from '../../../src/identity/caller.ts'
import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { NameField, TextArea, TextField } from '../../parts/fields.tsx'
import { Choices, type FormErrors, FormPage, SecretPage } from '../parts/form.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

/** Each scope's label and permissions; a scope for links lists only what it adds to the previous one. */
export const SCOPES: Record<Scope, { name: string; allows: string }> = {
  'links:read': { name: 'Read', allows: 'See bundles, versions and insights. Can’t change anything.' },
  'links:propose': {
    name: 'Read and suggest',
    allows: 'Also suggest edits. Nothing changes until you accept them. Good for agents.',
  },
  'links:write': {
    name: 'Read and write',
    allows: 'Also create, edit, delete, restore and claim bundles, and review suggestions.',
  },
  'webhooks:write': {
    name: 'Webhooks only',
    allows: 'Create and manage webhooks, which send your bundles elsewhere. Can’t do anything else.',
  },
  'keys:admin': {
    name: 'Full access',
    allows:
      'All of the above, create and revoke API keys, export all data and, in an organisation, manage its members. Only for tools you fully trust.',
  },
}

export interface KeyForm {
  name: string
  scope: string
  rateLimitPerHour: string
  /** A day, or empty. */
  expiresAt: string
  /** One per line. */
  allowedNetworks: string
  idempotencyKey: string
  errors: FormErrors<'name' | 'scopes' | 'rateLimitPerHour' | 'expiresAt' | 'allowedNetworks'>
}

export function NewKeyView({ site, form }: { site: DashboardSite; form: KeyForm }): JSX.Element {
  const { name, scope, rateLimitPerHour, expiresAt, allowedNetworks, idempotencyKey, errors } = form
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
      action={routes.keys.new.href()}
      button="Create API key"
      back={routes.keys.list.href()}
      hidden={{ idempotencyKey }}
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
      <EndField note="optional" value={expiresAt} error={errors.expiresAt} />
      <TextArea
        id="allowedNetworks"
        label="Networks"
        note="optional"
        value={allowedNetworks}
        error={errors.allowedNetworks}
        rows="2"
        spellcheck="false"
        placeholder="203.0.113.0/24"
        hint="IP addresses or networks that may use the key, one per line, up to 20. Empty means any."
      />
    </FormPage>
  )
}

/** The field for the day on which a key ends. */
export function EndField(props: { note?: string; value: string; error: string | undefined }): JSX.Element {
  return (
    <TextField
      {...props}
      id="expiresAt"
      label="Last day"
      class="short"
      type="date"
      min={new Date().toISOString().slice(0, 10)}
      hint="The key works until the end of this day, in UTC. We email you a week before."
    />
  )
}

interface KeyMadeProps {
  site: DashboardSite
  made: { apiKey: KeyInfo; rawKey: string }
  /** Hours until the replaced key ends; null if this key replaces none. */
  graceHours?: number | null
}

/** The only page that shows a key. */
export function KeyMadeView({ site, made: { apiKey, rawKey }, graceHours = null }: KeyMadeProps): JSX.Element {
  return (
    <SecretPage
      title={graceHours === null ? 'API key created' : 'API key rotated'}
      lede={apiKey.name}
      id="key"
      label="API key"
      secret={rawKey}
      next={routes.keys.list.href()}
      below={
        <section class="panel">
          <h2>Try it</h2>
          <pre class="code" tabindex="0" safe>{`curl ${site.origin}/api/me \\\n  -H "Authorization: Bearer $KEY"`}</pre>
        </section>
      }
    >
      <strong>Copy it now.</strong> You won’t see it again. Keep it somewhere safe, and never put it in a web page or a
      public repository.
      {graceHours !== null && escapeHtml(` ${oldKeyEnds(graceHours)}`)}
    </SecretPage>
  )
}

function oldKeyEnds(graceHours: number): string {
  if (graceHours === 0) return 'The old key has ended.'
  return `Put it in place of the old key, which ends within ${count(graceHours, 'hour')}.`
}
