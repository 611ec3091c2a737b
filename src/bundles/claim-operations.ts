import { type } from 'arktype'
import { nextCursor } from '../core/cursor.ts'
import { nextPage, type Paged } from '../core/paging.ts'
import { fitting, jsonParts } from '../core/parts.ts'
import { refusing } from '../core/shape.ts'
import { implement, type Site } from '../operations/operation.ts'
import * as answers from './answers.ts'
import * as claims from './claims.ts'
import { editing } from './contexts.ts'
import { linkOf } from './link.ts'
import { etag, toBundle } from './present.ts'
import { Claims } from './shapes.ts'

/** A claim token, alone or at the end of its link. */
const Token = type('0 < string <= 500')
  .pipe((sent) => /\/claim\/([^/?#\s]+)/.exec(sent)?.[1] ?? sent.trim())
  .to('0 < string <= 200')

/** The body of a claim: the token, or the slug of a bundle created with the caller’s verified address. */
const Claim = type({ 'token?': Token, 'slug?': '0 < string <= 64', '+': 'reject' }).narrow(
  refusing({ minProperties: 1, maxProperties: 1 }, ({ token, slug }: { token?: string; slug?: string }) =>
    (token === undefined) === (slug === undefined) ? { code: 'no_token' } : null,
  ),
)

/** POST /api/claims. */
export const claimBundle = implement('claim_bundle', {
  summary: 'Claim an unclaimed bundle into your account with its claim token',
  description:
    'Moves a bundle that was created without an account into yours, with its link, versions and counts. Send its claim token or, signed ' +
    'in with the address given then, its slug.',
  input: Claim,
  example: { token: 'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ' },
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: (by, context) => claims.claim(editing(context), by),
})

type ClaimablePage = Paged & { bundles: claims.ListedClaimable[] }

/** GET /api/me/claims: what can be claimed without a token. */
export const listClaims = implement('list_claims', {
  summary: 'List the unclaimed bundles created with your verified email address',
  description:
    'Lists bundles created with your verified email address, which you can claim by slug, newest first. Empty ' +
    'with a key.',
  input: Claims,
  output: answers.ClaimableList,
  // No tool gets any, so they need not fit into a message.
  present: (page: ClaimablePage, site) => ({ bundles: [...items(page.bundles, site)], ...moreIn(page) }),
  whole: (page, site) =>
    fitting(page.bundles) === page.bundles.length
      ? null
      : jsonParts({ bundles: items(page.bundles, site) }, moreIn(page)),
  next: nextPage,
  async run(paging, { service: { store }, caller }) {
    const { limit, offset, cursor } = paging
    // A key represents no person, and so no address.
    const found =
      caller.kind === 'session'
        ? await claims.listClaimable(store, caller.session, { ...paging, limit: limit + 1 })
        : []
    const page = { bundles: found.slice(0, limit), hasMore: found.length > limit, pagination: { limit, offset } }
    return { ...page, after: cursor === undefined ? undefined : moreIn(page).nextCursor }
  },
})

function moreIn({ bundles, hasMore }: ClaimablePage) {
  return { hasMore, ...nextCursor(bundles, hasMore, ({ id }) => [id]) }
}

function* items(bundles: ClaimablePage['bundles'], site: Site) {
  for (const { bytes: _, id: __, ...bundle } of bundles) yield { ...bundle, url: linkOf(bundle.slug, site) }
}
