import { type } from 'arktype'
import { SCOPES, type Scope } from '../identity/roles.ts'
import { line } from '../text.ts'

/** Requests an hour that a key may send where its minter does not say (spec 8). */
const DEFAULT_PER_HOUR = 1000
const MAX_PER_HOUR = 100_000

/** The body of POST /api/me/keys (spec 4.10). */
export const NewKey = type({
  name: line(100).narrow((name, ctx) => name.trim() !== '' || ctx.mustBe('a name with text in it')),
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

/** The query of DELETE /api/me/keys (spec 4.12). */
export const OneKey = type({ id: '1 <= number.integer <= 1000000000000000', '+': 'reject' })
