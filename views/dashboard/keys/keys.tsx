/** @jsxImportSource @kitajs/html */

import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Pager } from '../parts/pager.tsx'
import { Sample } from '../parts/sample.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { KeyRow, type KeyWithUsage } from './key-row.tsx'

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
  const addressOf = (at: number) => `/dashboard/keys?offset=${at}`
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
        {total > keys.length ? (
          <Pager
            text={`${offset + 1} to ${to} of ${total}`}
            previous={offset > 0 ? addressOf(Math.max(0, offset - limit)) : null}
            next={to < total ? addressOf(to) : null}
          />
        ) : (
          ''
        )}
      </div>
    </>
  )
}

function CreateKey(): JSX.Element {
  return (
    <a class="button primary" href="/dashboard/keys/new">
      <Icon name="plus" />
      Create API key
    </a>
  )
}
