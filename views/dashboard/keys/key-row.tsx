/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { DEVICE_HOST } from '../../../src/keys/apps.ts'
import type { ListedKey } from '../../../src/keys/keys.ts'
import { attribute } from '../../parts/layout.tsx'
import { formatInteger } from '../../parts/numbers.ts'
import { RelativeTime } from '../parts/relative-time.tsx'
import { SCOPES, widest } from './scopes.ts'

/** A key, and the requests it used in the current hour; null if they are not counted. */
export type KeyWithUsage = ListedKey & { used: number | null }

/** How and when a key ended; null if it works. */
export function endOf({ revokedAt, minterLeftAt, app }: ListedKey): { how: string; at: string } | null {
  if (revokedAt !== null) return { how: 'Revoked', at: revokedAt }
  if (minterLeftAt !== null) return { how: 'Ended when its creator left,', at: minterLeftAt }
  if (app !== undefined && Date.parse(app.endsAt) < Date.now())
    return { how: 'Not used any more, ended', at: app.endsAt }
  return null
}

/** A key in the list. */
export function KeyRow({ apiKey }: { apiKey: KeyWithUsage }): JSX.Element {
  const { id, name, keyPrefix, scopes, createdAt, lastUsedAt, app } = apiKey
  const end = endOf(apiKey)
  return (
    <li class="row">
      <div class="what">
        <span class={['name', end !== null && 'gone']}>
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint where">
          {app === undefined ? (
            <code safe>{`${keyPrefix}…`}</code>
          ) : (
            <>
              Connected app, <bdi safe>{app.host === DEVICE_HOST ? 'on a device' : app.host}</bdi>
            </>
          )}
          {' · '}
          {escapeHtml(SCOPES[widest(scopes)].name)}
        </span>
      </div>
      <div class="facts hint">
        {end === null ? <Usage apiKey={apiKey} /> : ''}
        <span>
          {lastUsedAt === null ? 'Never used, created ' : 'Last used '}
          <RelativeTime at={Date.parse(lastUsedAt ?? createdAt)} />
        </span>
      </div>
      {end === null ? (
        <div class="actions">
          <a class="quiet" href={`/dashboard/keys/${id}/revoke`} aria-label={attribute(`Revoke ${name}`)}>
            Revoke
          </a>
        </div>
      ) : (
        <span class="tag bad">
          {escapeHtml(end.how)} <RelativeTime at={Date.parse(end.at)} />
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
