/** @jsxImportSource @kitajs/html */

import type { CreatedWebhook } from '../../../src/webhooks/shapes.ts'
import { Alert, described, Field, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Head } from '../parts/shell.tsx'
import { EVENTS } from './words.ts'

export interface WebhookForm {
  url: string
  events: readonly string[]
  errors: { url?: string; events?: string; form?: string }
}

interface WebhookFormProps {
  title: string
  lede: string
  action: string
  button: string
  back: string
  form: WebhookForm
  /** Set for a new webhook: submitting twice makes one. */
  idempotencyKey?: string
}

/** Create or change a webhook. */
export function WebhookFormView(props: WebhookFormProps): JSX.Element {
  const { title, lede, action, button, back, form, idempotencyKey } = props
  const { url, events, errors } = form
  return (
    <>
      <Head title={title} lede={lede} />
      <Alert text={errors.form} />
      <form class="panel slim" method="post" action={attribute(action)}>
        {idempotencyKey === undefined ? (
          ''
        ) : (
          <input type="hidden" name="idempotencyKey" value={attribute(idempotencyKey)} />
        )}
        <Field id="url" label="URL" error={errors.url}>
          <input
            id="url"
            name="url"
            type="url"
            required
            maxlength="2048"
            autocomplete="off"
            placeholder="https://example.com/hooks/openall"
            autofocus={url === ''}
            value={attribute(url)}
            {...described('url', errors.url)}
          />
          <p class="hint">A public address of yours that accepts POST requests.</p>
        </Field>
        <fieldset class="field" {...described('events', errors.events)}>
          <legend>Events</legend>
          {
            Object.entries(EVENTS).map(([event, name]) => (
              <label class="choice">
                <input type="checkbox" name="events" value={event} checked={events.includes(event)} />
                <span>
                  <strong>{name as 'safe'}</strong> <code>{event as 'safe'}</code>
                </span>
              </label>
            )) as 'safe'[]
          }
          <FieldError id="events" error={errors.events} />
        </fieldset>
        <div class="actions">
          <button type="submit" class="primary" safe>
            {button}
          </button>
          <a class="button" href={attribute(back)}>
            Cancel
          </a>
        </div>
      </form>
    </>
  )
}

/** The only page that shows a secret. */
export function WebhookMadeView({ made: { webhook, secret } }: { made: CreatedWebhook }): JSX.Element {
  return (
    <>
      <Head title="Webhook created" lede={webhook.url} />
      <section class="panel caution">
        <div class="words">
          <p>
            <strong>Copy the secret now.</strong> You won’t see it again. Your receiver checks with it that a message
            really comes from here.
          </p>
        </div>
        <Field id="secret" label="Signing secret">
          <div class="copy-field">
            <input id="secret" readonly value={attribute(secret)} autocomplete="off" spellcheck="false" />
            <button type="button" class="primary copy" data-copy="secret">
              Copy
            </button>
          </div>
        </Field>
      </section>
      <p class="actions">
        <a class="button" href={`/dashboard/webhooks/${webhook.id}`}>
          I’ve saved it
        </a>
        <a href="/docs/webhooks#what-arrives" hx-boost="false">
          How to check signatures
        </a>
      </p>
    </>
  )
}
