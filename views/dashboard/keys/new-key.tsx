/** @jsxImportSource @kitajs/html */

import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { Alert, described, Field, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type DashboardSite, Head } from '../parts/shell.tsx'
import { SCOPES } from './scopes.ts'

export interface KeyForm {
  name: string
  scope: string
  rateLimitPerHour: string
  idempotencyKey: string
  errors: { name?: string; scope?: string; rateLimitPerHour?: string; form?: string }
}

/** Create a key. */
export function NewKeyView({ site, form }: { site: DashboardSite; form: KeyForm }): JSX.Element {
  const { name, scope, rateLimitPerHour, idempotencyKey, errors } = form
  const { acting } = site.user
  return (
    <>
      <Head
        title="Create API key"
        lede={
          acting === null
            ? 'For the bundles in your personal workspace.'
            : `For the bundles of ${acting.name}, with your role there. It stops working if you leave.`
        }
      />
      <Alert text={errors.form} />
      <form class="panel slim" method="post" action="/dashboard/keys/new">
        <input type="hidden" name="idempotencyKey" value={attribute(idempotencyKey)} />
        <Field id="name" label="Name" error={errors.name}>
          <input
            id="name"
            dir="auto"
            name="name"
            required
            maxlength="100"
            autocomplete="off"
            autofocus={name === ''}
            value={attribute(name)}
            {...described('name', errors.name)}
          />
          <p class="hint">Name it after where you’ll use it, like “nightly import”.</p>
        </Field>
        <fieldset class="field" {...described('scope', errors.scope)}>
          <legend>Permissions</legend>
          {
            Object.entries(SCOPES).map(([value, { name: label, allows }]) => (
              <label class="choice">
                <input type="radio" name="scope" value={value} checked={value === scope} required />
                <span>
                  <strong>{label as 'safe'}</strong> <code>{value as 'safe'}</code>
                  <span class="hint">{allows as 'safe'}</span>
                </span>
              </label>
            )) as 'safe'[]
          }
          <p class="hint">You can’t change this later. Give it no more than it needs.</p>
          <FieldError id="scope" error={errors.scope} />
        </fieldset>
        <Field id="rateLimitPerHour" label="Requests per hour" error={errors.rateLimitPerHour}>
          <input
            id="rateLimitPerHour"
            name="rateLimitPerHour"
            class="short"
            type="number"
            min="0"
            max="100000"
            step="1"
            required
            inputmode="numeric"
            value={attribute(rateLimitPerHour)}
            {...described('rateLimitPerHour', errors.rateLimitPerHour)}
          />
          <p class="hint">Up to 100,000. Enter 0 for no limit. Requests beyond this get a 429 error.</p>
        </Field>
        <div class="actions">
          <button type="submit" class="primary">
            Create API key
          </button>
          <a class="button" href="/dashboard/keys">
            Cancel
          </a>
        </div>
      </form>
    </>
  )
}

interface KeyMadeProps {
  site: DashboardSite
  made: { apiKey: KeyInfo; rawKey: string }
}

/** The only page that shows a key. */
export function KeyMadeView({ site, made: { apiKey, rawKey } }: KeyMadeProps): JSX.Element {
  return (
    <>
      <Head title="API key created" lede={apiKey.name} />
      <section class="panel caution">
        <div class="words">
          <p>
            <strong>Copy it now.</strong> You won’t see it again. Keep it somewhere safe, and never put it in a web page
            or a public repository.
          </p>
        </div>
        <Field id="key" label="API key">
          <div class="copy-field">
            <input id="key" readonly value={rawKey} autocomplete="off" spellcheck="false" />
            <button type="button" class="primary copy" data-copy="key">
              Copy
            </button>
          </div>
        </Field>
      </section>
      <section class="panel">
        <h2>Try it</h2>
        <pre class="code" tabindex="0" safe>{`curl ${site.origin}/api/me \\\n  -H "Authorization: Bearer $KEY"`}</pre>
      </section>
      <p class="actions">
        <a class="button" href="/dashboard/keys">
          I’ve saved it
        </a>
      </p>
    </>
  )
}
