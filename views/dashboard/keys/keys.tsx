/** @jsxImportSource @kitajs/html */

import type { ListedKey } from '../../../src/keys/keys.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Pager } from '../parts/pager.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { When } from '../parts/time.tsx'
import { SCOPES, widest } from './scopes.ts'

/** A key, and how many requests of its hour it has used; null where none are counted. */
type UsedKey = ListedKey & { used: number | null }

interface KeysProps {
  site: DashboardSite
  keys: UsedKey[]
  /** How many there are on all pages together. */
  total: number
  offset: number
  limit: number
}

const LEDE = 'A key lets a script, a command line or an agent do what you can do, within the scope that you give it.'

/** The acting subject's keys: those that work, then the revoked ones. */
export function KeysView({ keys, total, offset, limit }: KeysProps): JSX.Element {
  const to = offset + keys.length
  const addressOf = (at: number) => `/dashboard/keys?offset=${at}`
  if (total === 0) {
    return (
      <>
        <Head title="API keys" />
        <Empty
          heading="Your first key"
          text="A script sends its key with every request, and so makes, reads or edits bundles in your name. You choose what it may do and how often, and can end it at any time."
        >
          <p class="actions">
            <a class="button primary" href="/dashboard/keys/new">
              <Icon name="plus" />
              New key
            </a>
          </p>
        </Empty>
      </>
    )
  }
  return (
    <>
      <Head title="API keys" lede={LEDE}>
        <a class="button primary" href="/dashboard/keys/new">
          <Icon name="plus" />
          New key
        </a>
      </Head>
      <div>
        <ul class="rows">{keys.map((key) => <KeyRow apiKey={key} />) as 'safe'[]}</ul>
        {total > keys.length ? (
          <Pager
            says={`${offset + 1} to ${to} of ${total}`}
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

function KeyRow({ apiKey }: { apiKey: UsedKey }): JSX.Element {
  const { id, name, keyPrefix, scopes, revokedAt, minterLeftAt, createdAt, lastUsedAt } = apiKey
  const endedAt = revokedAt ?? minterLeftAt
  return (
    <li class="row">
      <div class="what">
        <span class={['name', endedAt !== null && 'gone']}>
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint where">
          <code safe>{`${keyPrefix}…`}</code>
          {' · '}
          {SCOPES[widest(scopes)].name as 'safe'}
        </span>
      </div>
      <div class="facts hint">
        {endedAt === null ? <Usage apiKey={apiKey} /> : ''}
        <span>
          {lastUsedAt === null ? 'never used, made ' : 'last used '}
          <When at={Date.parse(lastUsedAt ?? createdAt)} />
        </span>
      </div>
      {endedAt === null ? (
        <div class="actions">
          <a class="quiet" href={`/dashboard/keys/${id}/revoke`} aria-label={attribute(`Revoke ${name}`)}>
            Revoke
          </a>
        </div>
      ) : (
        <span class="tag bad">
          {revokedAt === null ? 'ended when its minter left, ' : 'revoked '}
          <When at={Date.parse(endedAt)} />
        </span>
      )}
    </li>
  )
}

const number = new Intl.NumberFormat('en-GB')

function Usage({ apiKey: { used, rateLimitPerHour } }: { apiKey: UsedKey }): JSX.Element {
  if (used === null) return <span>no limit</span>
  const text = `${number.format(used)} of ${number.format(rateLimitPerHour)} this hour`
  if (used < rateLimitPerHour * 0.9) return <span safe>{text}</span>
  return (
    <span class="tag bad" safe>
      {text}
    </span>
  )
}

/** What members of an organisation see who are no admins. */
export function KeysOfAdminsView({ site }: { site: DashboardSite }): JSX.Element {
  const { acting, role } = site.viewer
  return (
    <>
      <Head title="API keys" />
      <Empty
        heading={`The admins of ${acting?.name ?? 'this organisation'} manage its keys`}
        text={`A key of an organisation reaches all of its bundles, so only admins see, make and revoke them. You are ${role}. Ask an admin for a key or for the role, or act for yourself to make keys of your own.`}
      >
        <p class="actions">
          <a class="button" href={`/dashboard/organizations/${acting?.id ?? ''}`}>
            Who is admin?
          </a>
        </p>
      </Empty>
    </>
  )
}
