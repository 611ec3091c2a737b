/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import type { Scope } from '../../../src/identity/caller.ts'
import { DEVICE_HOST, extensionIn } from '../../../src/keys/apps.ts'
import type { ListedKey } from '../../../src/keys/keys.ts'
import { formatInteger } from '../../parts/charts.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { SCOPES } from './new-key.tsx'

/** A key with its requests in the current hour; null if they are not counted. */
export type KeyWithUsage = ListedKey & { used: number | null }

/** How and when a key ended; null if it works. */
export function endOf(key: ListedKey): { how: string; at: string } | null {
  const { revokedAt, minterLeftAt, expiresAt, replacedBy, app } = key
  if (revokedAt !== null) return { how: 'Revoked', at: revokedAt }
  if (minterLeftAt !== null) return { how: 'Ended when its creator left,', at: minterLeftAt }
  if (app !== undefined && Date.parse(app.endsAt) < Date.now())
    return { how: 'Not used any more, ended', at: app.endsAt }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now())
    return { how: replacedBy === undefined ? 'Ended' : 'Replaced, ended', at: expiresAt }
  return null
}

/** Where an app is, by its redirect host. */
function placeOf(host: string): string {
  if (host === DEVICE_HOST) return 'on a device'
  return extensionIn(host) === null ? host : 'an extension of a browser'
}

export function KeyRow({ apiKey }: { apiKey: KeyWithUsage }): JSX.Element {
  const { id, name, keyPrefix, scopes, createdAt, lastUsedAt, allowedNetworks, replacedBy, app } = apiKey
  const end = endOf(apiKey)
  return (
    <li class="row roomy">
      <div class="what">
        {app === undefined || app.host === DEVICE_HOST ? (
          <span class="tile">
            <Icon name={app === undefined ? 'key' : 'phone'} />
          </span>
        ) : (
          <Tile url={`https://${app.host}`} />
        )}
        <span class={['name', end !== null && 'gone']}>
          <bdi safe>{name}</bdi>
        </span>
        <span class="hint where">
          {app === undefined ? (
            <code safe>{`${keyPrefix}…`}</code>
          ) : (
            <>
              Connected app, <bdi safe>{placeOf(app.host)}</bdi>
            </>
          )}
          {' · '}
          {escapeHtml(scopeNames(scopes))}
          {allowedNetworks !== undefined && escapeHtml(` · Only from ${oneOrMany(allowedNetworks)}`)}
        </span>
      </div>
      <div class="facts hint">
        {end === null ? (
          <>
            <Ending apiKey={apiKey} />
            <Usage apiKey={apiKey} />
          </>
        ) : (
          <>
            <span>
              {escapeHtml(end.how)} <RelativeTime at={Date.parse(end.at)} />
            </span>
            <span></span>
          </>
        )}
        <span>
          {lastUsedAt === null ? 'Never used, created ' : 'Last used '}
          <RelativeTime at={Date.parse(lastUsedAt ?? createdAt)} />
        </span>
      </div>
      {end === null && (
        <div class="actions">
          {app === undefined && replacedBy === undefined && (
            <a class="quiet" href={routes.keys.rotate.href({ id })} aria-label={attribute(`Rotate ${name}`)}>
              Rotate
            </a>
          )}
          <a class="quiet" href={routes.keys.revoke.href({ id })} aria-label={attribute(`Revoke ${name}`)}>
            Revoke
          </a>
        </div>
      )}
    </li>
  )
}

function Usage({ apiKey: { used, rateLimitPerHour } }: { apiKey: KeyWithUsage }): JSX.Element {
  if (used === null) return <span>No limit</span>
  const share = Math.min(1, used / rateLimitPerHour)
  return (
    <span class={['used', share >= 0.9 && 'bad']}>
      {escapeHtml(`${formatInteger(used)} of ${formatInteger(rateLimitPerHour)} this hour`)}
      <svg aria-hidden="true">
        <rect width={`${share * 100}%`} height="100%" />
      </svg>
    </span>
  )
}

const SOON_MS = 7 * 86_400_000

/** When a working key will end. */
function Ending({ apiKey: { expiresAt, replacedBy } }: { apiKey: KeyWithUsage }): JSX.Element {
  if (expiresAt === undefined) return <span></span>
  const at = Date.parse(expiresAt)
  const isSoon = replacedBy === undefined && at - Date.now() < SOON_MS
  return (
    <span class={isSoon ? 'bad' : undefined}>
      {replacedBy === undefined ? 'Ends ' : 'Replaced, ends '}
      <RelativeTime at={at} />
    </span>
  )
}

function oneOrMany(networks: readonly string[]): string {
  const [only = ''] = networks
  return networks.length === 1 ? only : `${networks.length} networks`
}

/** A short description of scopes: the widest includes the others, except webhooks, which are separate from links. */
function scopeNames(scopes: readonly Scope[]): string {
  const isBeside = (scope: Scope) => scope === 'webhooks:write'
  const widest = (Object.keys(SCOPES) as Scope[]).findLast((scope) => scopes.includes(scope) && !isBeside(scope))
  if (widest === undefined) return SCOPES['webhooks:write'].name
  return SCOPES[widest].name + (scopes.some(isBeside) && widest !== 'keys:admin' ? ', webhooks' : '')
}
