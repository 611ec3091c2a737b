/** @jsxImportSource @kitajs/html */

import type { ListedKey } from '../../../src/keys/keys.ts'
import { attribute } from '../../parts/layout.tsx'
import { formatInteger } from '../../parts/numbers.ts'
import { RelativeTime } from '../parts/relative-time.tsx'
import { SCOPES, widest } from './scopes.ts'

/** A key, and the requests it used in the current hour; null if they are not counted. */
export type KeyWithUsage = ListedKey & { used: number | null }

/** A key in the list. */
export function KeyRow({ apiKey }: { apiKey: KeyWithUsage }): JSX.Element {
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
          {lastUsedAt === null ? 'Never used, created ' : 'Last used '}
          <RelativeTime at={Date.parse(lastUsedAt ?? createdAt)} />
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
          {revokedAt === null ? 'Ended when its creator left, ' : 'Revoked '}
          <RelativeTime at={Date.parse(endedAt)} />
        </span>
      )}
    </li>
  )
}

function Usage({ apiKey: { used, rateLimitPerHour } }: { apiKey: KeyWithUsage }): JSX.Element {
  if (used === null) return <span>No limit</span>
  const text = `${formatInteger(used)} of ${formatInteger(rateLimitPerHour)} this hour`
  if (used < rateLimitPerHour * 0.9) return <span safe>{text}</span>
  return (
    <span class="tag bad" safe>
      {text}
    </span>
  )
}
