import { type } from 'arktype'
import { DEFAULT_PER_HOUR } from '../../db/schema.ts'
import { CreatedAt, StoreNow } from '../core/fields.ts'
import { lazy } from '../core/lazy.ts'
import { networkIn } from '../core/networks.ts'
import { NextCursor } from '../core/paging.ts'
import { instantThat, object, refusing, says, Time } from '../core/shape.ts'
import { line, withText } from '../core/text-shapes.ts'
import { Acting, SCOPES_SAID, Scopes } from '../identity/answers.ts'
import { SCOPES, type Scope } from '../identity/caller.ts'

export { DEFAULT_PER_HOUR }

const MAX_PER_HOUR = 100_000

/** The latest end, in years from now; a key that is meant for longer has none. */
const MAX_YEARS = 5
const YEAR_MS = 365.25 * 86_400_000
/** How long an old key may still work after its rotation. */
const MAX_GRACE_HOURS = 24

const End = instantThat((at) => {
  if (at <= Date.now()) return { code: 'not_to_come' }
  return at > Date.now() + MAX_YEARS * YEAR_MS ? { code: 'too_far_ahead', years: MAX_YEARS } : null
})

const Network = type('string')
  .narrow(
    refusing({ pattern: '^\\s*[0-9A-Fa-f:.]+(?:/[0-9]{1,3})?\\s*$', maxLength: 100 }, (text: string) =>
      text.length > 100 || networkIn(text) === null ? { code: 'not_a_network' } : null,
    ),
  )
  .pipe((text) => networkIn(text) ?? '')

const NAME = ['A name to recognise the key by.', 'nightly import'] as const
const PER_HOUR = ['Requests in any 60 minutes; 0 for no limit.', 1000] as const

/** The body of POST /api/me/keys. */
export const NewKey = object({
  name: says(line(100).narrow(withText), ...NAME),
  scopes: says(
    type
      .enumerated(...SCOPES)
      .array()
      .atLeastLength(1)
      .atMostLength(SCOPES.length),
    ...SCOPES_SAID,
  ).default((): Scope[] => ['links:write']),
  rateLimitPerHour: says(`0 <= number.integer <= ${MAX_PER_HOUR}`, ...PER_HOUR).default(DEFAULT_PER_HOUR),
  'expiresAt?': says(End, 'When it ends, if ever.', '2027-11-20T09:00:00Z'),
  'allowedNetworks?': says(Network.array().atLeastLength(1).atMostLength(20), 'Addresses or CIDR; any if omitted.', [
    '203.0.113.0/24',
  ]),
})

export type NewKey = typeof NewKey.infer

const KEY_ID = ['Identifies the key.', 7] as const
const Id = says('1 <= number.integer <= 999999999999999', ...KEY_ID)

/** The query of DELETE /api/me/keys. */
export const OneKey = object({ id: Id })

/** The input of POST /api/me/keys/:id/rotate. */
export const KeyRotation = object({
  id: Id,
  graceHours: says(`0 <= number.integer <= ${MAX_GRACE_HOURS}`, 'Hours until the old key ends.', 24).default(
    MAX_GRACE_HOURS,
  ),
  'expiresAt?': says(End, 'By default, the old key’s.', '2027-11-20T09:00:00Z'),
})

export type KeyRotation = typeof KeyRotation.infer

/** A key as the API shows it. */
const KeyInfo = lazy(() =>
  object(
    {
      id: says('number.integer >= 1', ...KEY_ID),
      name: says('string', ...NAME),
      scope: says("'user' | 'organization'", 'Whether it acts for a user or an organisation.', 'user'),
      scopes: Scopes(),
      keyPrefix: says('string', 'The public part of the key.', 'oa_3fGkQ9xT2mWz'),
      rateLimitPerHour: says('number.integer >= 0', ...PER_HOUR),
      createdAt: CreatedAt(),
      lastUsedAt: says(
        Time().or('null'),
        'When it was last used, up to a minute late; null if never.',
        '2026-11-20T09:29:00.000Z',
      ),
      revokedAt: says(Time().or('null'), 'When it was revoked; null if it is active.', null),
      'expiresAt?': says(Time(), 'When it ends; missing if never.', '2027-11-20T09:00:00.000Z'),
      'allowedNetworks?': says(type('string').array(), 'The networks that it works from; missing if any.', [
        '203.0.113.0/24',
      ]),
      'replacedBy?': says('number.integer >= 1', 'Of one that was rotated: the id of the key in its place.', 8),
      'app?': says(
        object({
          name: says('string', 'What the app calls itself.', 'Claude Code'),
          host: says(
            'string',
            'Where its sign-in led back to: a host, or an app’s own scheme; `device` if its code was typed in.',
            'localhost',
          ),
          endsAt: says(Time(), 'When it ends unless the app renews it.', '2026-12-20T09:29:00.000Z'),
        }),
        'The app that signed in with OAuth and renews this key; a key that a person created has none.',
      ),
    },
    'ApiKey',
  ),
)

export type KeyInfo = ReturnType<typeof KeyInfo>['infer']

const keyWithoutSecret = lazy(() => says(KeyInfo(), 'The key, without its secret.'))

/** The answers of POST /api/me/keys and …/:id/rotate, the only ones with a key's text. */
export const MintedKey = lazy(() =>
  object({
    apiKey: keyWithoutSecret(),
    rawKey: says('string', 'The key itself, for the Authorization header. Shown only once.', 'oa_3fGkQ9xT2mWz.h72Q…'),
    warning: StoreNow,
  }),
)

/** The answer of GET /api/me/keys. */
export const KeyList = lazy(() =>
  object({
    apiKeys: says(KeyInfo().array(), 'The keys, newest first, including revoked ones.'),
    'nextCursor?': NextCursor,
    subject: Acting(),
  }),
)

/** The answer of DELETE /api/me/keys. */
export const RevokedKey = lazy(() => object({ apiKey: keyWithoutSecret() }))
