/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { CHATS, formatFor } from '../../../src/webhooks/chats.ts'
import type { CreatedWebhook, RotatedWebhook, WebhookInfo } from '../../../src/webhooks/shapes.ts'
import { described, Field, Hint, TextField } from '../../parts/fields.tsx'
import { Each } from '../../parts/layout.tsx'
import { Choices, type FormErrors, FormPage, type FormPageProps, SecretPage } from '../parts/form.tsx'
import { FormatHint } from './view.tsx'
import { EVENTS, FORMATS } from './words.ts'

export interface WebhookForm {
  url: string
  /** Empty: by the address. */
  format: string
  events: readonly string[]
  errors: FormErrors<'url' | 'format' | 'events'>
}

/** The form to create or change a webhook. */
export function WebhookFormView(props: FormPageProps & { form: WebhookForm; isNew: boolean }): JSX.Element {
  const { form, isNew, ...page } = props
  const { url, format, events, errors } = form
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
        hint="A public web address that accepts POST requests."
      />
      <Field id="format" label="Format" error={errors.format}>
        <select id="format" name="format" {...described('format', errors.format)}>
          {isNew && <ByAddress url={url} isChosen={format === ''} />}
          <Each
            of={FORMATS}
            show={([value, name]) => (
              <option value={value} selected={value === format} {...knownBy(value)} safe>
                {name}
              </option>
            )}
          />
        </select>
        <Hint text="A program gets signed events. A chat gets a sentence for each event, in the chat’s own format." />
      </Field>
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

const BY_ADDRESS = 'What the address asks for'

/** The format that the host asks for; the script names it while the address is typed. */
function ByAddress({ url, isChosen }: { url: string; isChosen: boolean }): JSX.Element {
  const known = URL.canParse(url) ? formatFor(url) : 'standard'
  return (
    <option value="" selected={isChosen} data-name={BY_ADDRESS} safe>
      {known === 'standard' ? BY_ADDRESS : `${BY_ADDRESS}: ${CHATS[known].name}`}
    </option>
  )
}

/** How the script knows the addresses of a chat. */
function knownBy(format: WebhookInfo['format']) {
  if (format === 'standard') return {}
  const { name, host, path } = CHATS[format]
  return { 'data-name': name, 'data-host': host.source, ...(path === undefined ? {} : { 'data-path': path.source }) }
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
      below={<FormatHint of={webhook} />}
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
