import { type } from 'arktype'
import { lazy } from '../core/lazy.ts'
import { Time } from '../core/shape.ts'
import { line, withText } from '../core/text-shapes.ts'
import { Scopes, Subject } from '../identity/answers.ts'
import { SCOPES, type Scope } from '../identity/roles.ts'

/** Requests per hour, unless the minter chooses another limit. */
const DEFAULT_PER_HOUR = 1000
const MAX_PER_HOUR = 100_000

/** The body of POST /api/me/keys. */
export const NewKey = type({
  name: line(100).narrow(withText('name')),
  scopes: type
    .enumerated(...SCOPES)
    .array()
    .atLeastLength(1)
    .atMostLength(SCOPES.length)
    .default((): Scope[] => ['links:write']),
  rateLimitPerHour: type(`0 <= number.integer <= ${MAX_PER_HOUR}`).default(DEFAULT_PER_HOUR),
  '+': 'reject',
})

export type NewKey = typeof NewKey.infer

/** The query of DELETE /api/me/keys. */
export const OneKey = type({ id: '1 <= number.integer <= 999999999999999', '+': 'reject' })

/** A key as the API shows it. */
const KeyInfo = lazy(() =>
  type({
    id: 'number.integer >= 1',
    name: 'string',
    scope: "'user' | 'organization'",
    scopes: Scopes(),
    keyPrefix: 'string',
    rateLimitPerHour: 'number.integer >= 0',
    createdAt: Time(),
    lastUsedAt: Time().or('null'),
    revokedAt: Time().or('null'),
    'app?': type({ name: 'string', host: 'string', endsAt: Time(), '+': 'reject' }),
    '+': 'reject',
  }).configure({ named: 'ApiKey' }, 'self'),
)

export type KeyInfo = ReturnType<typeof KeyInfo>['infer']

/** The answer of POST /api/me/keys, the only one with a key's text. */
export const MintedKey = lazy(() => type({ apiKey: KeyInfo(), rawKey: 'string', warning: 'string', '+': 'reject' }))

/** What GET /api/me/keys answers. */
export const KeyList = lazy(() =>
  type({ apiKeys: KeyInfo().array(), 'nextCursor?': 'string', subject: Subject(), '+': 'reject' }),
)

/** What DELETE /api/me/keys answers. */
export const RevokedKey = lazy(() => type({ apiKey: KeyInfo(), '+': 'reject' }))
