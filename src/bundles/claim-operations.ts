import { type } from 'arktype'
import { implement } from '../core/operation.ts'
import * as answers from './answers.ts'
import * as claims from './claims.ts'
import { editing } from './contexts.ts'
import { etag, toBundle } from './present.ts'
import { Claim } from './shapes.ts'

/** POST /api/claims (decisions 4). */
export const claimBundle = implement('claim_bundle', {
  summary: 'Claim an unclaimed bundle into your account with its claim token',
  description:
    'Moves a bundle that was created without an account into yours. Send the claim token from its creation or, signed in ' +
    'with the address given then, its slug (see list_claims). A token works once, and for 7 days unless this server is ' +
    'configured otherwise. The bundle keeps its link, versions and counts.',
  input: Claim,
  example: { token: 'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ' },
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: (by, context) => claims.claim(editing(context), by),
})

/** GET /api/me/claims: what can be claimed without a token. */
export const listClaims = implement('list_claims', {
  summary: 'List the unclaimed bundles created with your verified e-mail address',
  description:
    'Lists bundles that you can claim by slug with claim_bundle, because they were created with your verified e-mail ' +
    'address. With a key the list is empty, because a key has no address.',
  input: type({ '+': 'reject' }),
  output: answers.ClaimableList,
  async run(_, { service: { store }, caller }) {
    // A key represents no person, and so no address.
    return { bundles: caller.kind === 'session' ? await claims.listClaimable(store, caller.session) : [] }
  },
})
