/** @jsxImportSource @kitajs/html */

import { Icon } from '../../parts/icons.tsx'
import { Pager } from '../parts/pager.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { KeyRow, type KeyWithUsage } from './key-row.tsx'
import { SampleKeys } from './sample.tsx'

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
        <ul class="rows">{keys.map((key) => <KeyRow apiKey={key} />) as 'safe'[]}</ul>
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
