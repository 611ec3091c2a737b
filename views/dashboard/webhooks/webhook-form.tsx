/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { CreatedWebhook, RotatedWebhook } from '../../../src/webhooks/shapes.ts'
import { TextField } from '../../parts/fields.tsx'
import { Choices, type FormErrors, FormPage, type FormPageProps, SecretPage } from '../parts/form.tsx'
import { ChatNote } from './view.tsx'
import { EVENTS } from './words.ts'

export interface WebhookForm {
  url: string
  events: readonly string[]
  errors: FormErrors<'url' | 'events'>
}

/** The form to create or change a webhook. */
export function WebhookFormView({ form, ...page }: FormPageProps & { form: WebhookForm }): JSX.Element {
  const { url, events, errors } = form
  return (
    <FormPage {...page} error={errors.form}>
      <TextField
        id="url"
        label="URL"
        error={errors.url}
        value={url}
        type="url"
        required
        maxlength="2048"
        autocomplete="off"
        placeholder="https://example.com/hooks/openall"
        autofocus={url === ''}
        hint="A public address of yours that accepts POST requests."
      />
      <Choices
        name="events"
        legend="Events"
        type="checkbox"
        options={Object.entries(EVENTS)}
        chosen={events}
        error={errors.events}
      />
    </FormPage>
  )
}

/** The only page that shows a webhook's secret, after its creation or rotation. */
export function WebhookMadeView({ made }: { made: CreatedWebhook | RotatedWebhook }): JSX.Element {
  const { webhook, secret } = made
  const isNew = 'warning' in made
  return (
    <SecretPage
      title={isNew ? 'Webhook created' : 'Secret changed'}
      lede={webhook.url}
      id="secret"
      label="Signing secret"
      secret={secret}
      next={routes.webhooks.webhook.href({ webhookId: webhook.id })}
      below={<ChatNote url={webhook.url} />}
      more={
        <a href={`${routes.docs.guide.href({ guide: 'webhooks' })}#what-arrives`} hx-boost="false">
          How to check signatures
        </a>
      }
    >
      <strong>Copy the secret now.</strong> You won’t see it again. Your receiver checks with it that a message really
      comes from here.{!isNew && ' The old secret works for 24 more hours.'}
    </SecretPage>
  )
}
