/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { TextField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Each } from '../../parts/layout.tsx'
import { Confirm, type FormErrors, FormPage } from '../parts/form.tsx'
import { Pager, Sample } from '../parts/lists.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { KeyRow, type KeyWithUsage } from './key-row.tsx'
import { EndField } from './new-key.tsx'

const MINUTE_MS = 60_000

/** A sample of the page, shown until there are keys. */
function SampleKeys(): JSX.Element {
  const key = (name: string, keyPrefix: string, minutesAgo: number, more: Partial<KeyWithUsage>): KeyWithUsage => {
    const lastUsedAt = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString()
    const common = {
      id: 0,
      scope: 'user',
      createdAt: lastUsedAt,
      revokedAt: null,
      minterLeftAt: null,
    } as const
    return { ...common, name, keyPrefix, lastUsedAt, scopes: ['links:write'], rateLimitPerHour: 1000, used: 0, ...more }
  }
  const keys = [
    key('Nightly import', 'oa_8w2dOJ7D', 12, { used: 212 }),
    key('Claude on my laptop', 'oa_kpdiZuSM', 3, { used: 18, scopes: ['links:read'] }),
  ]
  return (
    <Sample caption="An example of what you’ll see here">
      <ul class="rows even">
        <Each of={keys} show={(apiKey) => <KeyRow apiKey={apiKey} />} />
      </ul>
    </Sample>
  )
}

interface KeysProps {
  site: DashboardSite
  keys: KeyWithUsage[]
  /** The number of keys on all pages. */
  total: number
  offset: number
  limit: number
}

const LEDE = 'API keys let scripts, the command line and AI agents work with your bundles.'

/** The acting subject's keys: active ones, then revoked ones. */
export function KeysView({ keys, total, offset, limit }: KeysProps): JSX.Element {
  const to = offset + keys.length
  const addressOf = (at: number) => `${routes.keys.list.href()}?offset=${at}`
  if (total === 0) {
    return (
      <>
        <Head title="API keys" />
        <Empty
          heading="Automate with API keys"
          text="A key lets a script, the command line or an AI agent create, read or edit bundles for you. You choose what it can do and how often, and you can revoke it at any time."
        >
          <p class="actions">
            <CreateKey />
          </p>
        </Empty>
        <SampleKeys />
      </>
    )
  }
  return (
    <>
      <Head title="API keys" lede={LEDE}>
        <CreateKey />
      </Head>
      <div>
        <ul class="rows even">
          <Each of={keys} show={(key) => <KeyRow apiKey={key} />} />
        </ul>
        {total > keys.length && (
          <Pager
            text={`${offset + 1} to ${to} of ${total}`}
            previous={offset > 0 ? addressOf(Math.max(0, offset - limit)) : null}
            next={to < total ? addressOf(to) : null}
          />
        )}
      </div>
    </>
  )
}

function CreateKey(): JSX.Element {
  return (
    <a class="button primary" href={routes.keys.new.href()}>
      <Icon name="plus" />
      Create API key
    </a>
  )
}

/** Asks before a key is revoked. */
export function RevokeView({ apiKey: { id, name, keyPrefix, lastUsedAt, app } }: { apiKey: KeyInfo }): JSX.Element {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={routes.keys.revoke.href({ id })}
      button="Revoke API key"
      back={routes.keys.list.href()}
    >
      {app === undefined ? (
        <p>
          Anything that uses <code safe>{`${keyPrefix}…`}</code> stops working right away. You can’t undo this.
        </p>
      ) : (
        <p>The app is disconnected right away. To use it again, connect it again from the app.</p>
      )}
      <p>
        {lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <RelativeTime at={Date.parse(lastUsedAt)} />.
          </>
        )}
      </p>
    </Confirm>
  )
}

export interface RotateForm {
  graceHours: string
  /** A day; null for a key without an end. */
  expiresAt: string | null
  errors: FormErrors<'graceHours' | 'expiresAt'>
}

/** Asks how to replace a key. */
export function RotateView({ apiKey, form }: { apiKey: KeyInfo; form: RotateForm }): JSX.Element {
  const { id, name, keyPrefix } = apiKey
  const { graceHours, expiresAt, errors } = form
  return (
    <FormPage
      title={`Rotate ${name}?`}
      lede={`You get a new key that can do the same. The old one, ${keyPrefix}…, keeps working for a while, so you can replace it everywhere.`}
      error={errors.form}
      action={routes.keys.rotate.href({ id })}
      button="Rotate API key"
      back={routes.keys.list.href()}
    >
      <TextField
        id="graceHours"
        label="Hours until the old key ends"
        error={errors.graceHours}
        value={graceHours}
        class="short"
        type="number"
        min="0"
        max="24"
        step="1"
        required
        inputmode="numeric"
        hint="Up to 24. Enter 0 to end it now, if someone else may have it."
      />
      {expiresAt !== null && <EndField value={expiresAt} error={errors.expiresAt} />}
    </FormPage>
  )
}
