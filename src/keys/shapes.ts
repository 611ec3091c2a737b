import { type } from 'arktype'
import { DEFAULT_PER_HOUR } from '../../db/schema.ts'
import { lazy } from '../core/lazy.ts'
import { networkIn } from '../core/networks.ts'
import { instantThat, refusing, Time } from '../core/shape.ts'
import { line, withText } from '../core/text-shapes.ts'
import { Scopes, SubjectShape } from '../identity/answers.ts'
import { SCOPES, type Scope } from '../identity/roles.ts'

const MAX_PER_HOUR = 100_000

/** The furthest end: a key that is meant for longer has none. */
const MAX_YEARS = 5
const YEAR_MS = 365.25 * 86_400_000
/** An old key may go on for so long after it was rotated. */
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

/** The body of POST /api/me/keys. */
export const NewKey = type({
  name: line(100).narrow(withText),
  scopes: type
    .enumerated(...SCOPES)
    .array()
    .atLeastLength(1)
    .atMostLength(SCOPES.length)
    .default((): Scope[] => ['links:write']),
  rateLimitPerHour: type(`0 <= number.integer <= ${MAX_PER_HOUR}`).default(DEFAULT_PER_HOUR),
  'expiresAt?': End,
  'allowedNetworks?': Network.array().atLeastLength(1).atMostLength(20),
  '+': 'reject',
})

export type NewKey = typeof NewKey.infer

const ID = '1 <= number.integer <= 999999999999999'

/** The query of DELETE /api/me/keys. */
export const OneKey = type({ id: ID, '+': 'reject' })

/** The input of POST /api/me/keys/:id/rotate. */
export const KeyRotation = type({
  id: ID,
  graceHours: type(`0 <= number.integer <= ${MAX_GRACE_HOURS}`).default(MAX_GRACE_HOURS),
  'expiresAt?': End,
  '+': 'reject',
})

export type KeyRotation = typeof KeyRotation.infer

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
    'expiresAt?': Time(),
    'allowedNetworks?': type('string').array(),
    'replacedBy?': 'number.integer >= 1',
    'app?': type({ name: 'string', host: 'string', endsAt: Time(), '+': 'reject' }),
    '+': 'reject',
  }).configure({ named: 'ApiKey' }, 'self'),
)

export type KeyInfo = ReturnType<typeof KeyInfo>['infer']

/** The answers of POST /api/me/keys and …/:id/rotate, the only ones with a key's text. */
export const MintedKey = lazy(() => type({ apiKey: KeyInfo(), rawKey: 'string', warning: 'string', '+': 'reject' }))

/** What GET /api/me/keys answers. */
export const KeyList = lazy(() =>
  type({ apiKeys: KeyInfo().array(), 'nextCursor?': 'string', subject: SubjectShape(), '+': 'reject' }),
)

/** What DELETE /api/me/keys answers. */
export const RevokedKey = lazy(() => type({ apiKey: KeyInfo(), '+': 'reject' }))
