import { type } from 'arktype'
import { nextCursor, nextPage, type Paged } from '../../core/paging.ts'
import { fitting, jsonParts } from '../../core/parts.ts'
import { checked, object, refusing, says } from '../../core/shape.ts'
import { implement, type Site } from '../../operations/operation.ts'
import * as answers from '../content/answers.ts'
import { omit } from '../content/content.ts'
import { Claims } from '../content/shapes.ts'
import { etag, toBundle } from '../edit/bundles.ts'
import { editing } from '../edit/edit.ts'
import { linkOf } from '../links/link-fields.ts'
import * as claims from './claims.ts'

/** A claim token, sent alone or as the claim link that ends in it. */
const Token = type('0 < string <= 500')
  .pipe((sent) => /\/claim\/([^/?#\s]+)/.exec(sent)?.[1] ?? sent.trim())
  .to('0 < string <= 200')

const sent = object({
  'token?': says(
    Token,
    'The claim token of the bundle: the last part of its claim link.',
    'b3Z4cGxhaW4tdG9rZW4tb2YtdGhpcnR5LXR3by1ieQ',
  ),
  'slug?': says(
    '0 < string <= 64',
    'Identifies the bundle: the last part of its link, /l/<slug>; or ext:<externalId>.',
    'launch-day',
  ),
})

/** The body of a claim: the token, or the slug of a bundle created with the caller’s verified address. */
const Claim = checked(
  sent,
  sent.narrow(
    refusing({ minProperties: 1, maxProperties: 1 }, ({ token, slug }: { token?: string; slug?: string }) =>
      (token === undefined) === (slug === undefined) ? { code: 'no_token' } : null,
    ),
  ),
)

/** POST /api/claims. */
export const claimBundle = implement('claim_bundle', {
  summary: 'Claim an unclaimed bundle into your account with its claim token',
  description:
    'Moves a bundle that was created without an account into yours, with its link, versions and counts. Send its claim token or, signed ' +
    'in with the address given then, its slug.',
  again: 'is 404, and the bundle is in your list',
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
  // Tools get no entries, so the page need not fit into a message.
  present: (page: ClaimablePage, site) => ({ bundles: [...items(page.bundles, site)], ...moreIn(page) }),
  whole: (page, site) =>
    fitting(page.bundles) === page.bundles.length
      ? null
      : jsonParts({ bundles: items(page.bundles, site) }, moreIn(page)),
  next: nextPage,
  async run(paging, { service: { store }, caller }) {
    const { limit, offset, cursor } = paging
    // A key represents no person, so it has no address.
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

const NOT_SHOWN = ['id', 'bytes'] as const

function* items(bundles: ClaimablePage['bundles'], site: Site) {
  for (const bundle of bundles) yield { ...omit(NOT_SHOWN, bundle), url: linkOf(bundle.slug, site) }
}
