import { type } from 'arktype'
import { signedIn } from '../identity/identify.ts'
import { type Context, operation } from '../operation.ts'
import type { StoredBundle } from './access.ts'
import { loadFor } from './access.ts'
import * as bundles from './bundles.ts'
import * as claims from './claims.ts'
import { etag, toBundle, toListItem, toSnapshot } from './present.ts'
import { BundleEdit, Claim, type CreatedBundle, NewBundle, OneBundle, OneVersion, Paging } from './shapes.ts'
import * as versions from './versions.ts'

/** What verbs that change a bundle work on. */
function changing({ service: { store, config }, caller }: Context) {
  return { store, config, caller: signedIn(caller) }
}

/** Runs a change of a bundle, and then forgets its launcher, so that the very next view shows it. */
async function shown<T extends { slug: string }>({ service: { launchers } }: Context, change: Promise<T>): Promise<T> {
  const changed = await change
  launchers.drop(changed.slug)
  return changed
}

/** POST /api/links (spec 4.1). */
export const createBundle = operation({
  name: 'create_bundle',
  summary: 'Make a bundle of up to 25 URLs and get its link',
  route: 'POST /links',
  access: 'public',
  keyScope: 'links:write',
  limit: 'address',
  idempotent: true,
  status: 201,
  input: NewBundle,
  headers: ({ slug }: CreatedBundle) => ({ location: `/api/links/${slug}` }),
  async run(input, { service: { store, config, mailer }, caller, client, commit }) {
    const created = await bundles.create(input, { store, config, caller, client, commit })
    // Only where mail is configured (decisions 2): else the token would stand in the log.
    if (input.email !== undefined && mailer.isConfigured) mailer.send(claims.claimMail(input.email, created, config))
    return created
  },
})

/** GET /api/links/:slug (spec 4.2). */
export const getBundle = operation({
  name: 'get_bundle',
  summary: 'Read a bundle in full',
  route: 'GET /links/:slug',
  access: { scope: 'links:read' },
  input: OneBundle,
  present: toBundle,
  headers: etag,
  run: ({ slug }, { service: { store }, caller }) => loadFor(store.db, signedIn(caller), slug, 'viewer'),
})

/** PATCH /api/links/:slug (spec 4.3). */
export const updateBundle = operation({
  name: 'update_bundle',
  summary: 'Edit a bundle; every edit becomes a version',
  route: 'PATCH /links/:slug',
  access: { scope: 'links:write' },
  input: BundleEdit,
  present: toBundle,
  headers: etag,
  run: ({ slug, ...changes }, context): Promise<StoredBundle> =>
    shown(context, versions.edit({ ...changing(context), slug, expectedVersion: context.expectedVersion }, changes)),
})

/** DELETE /api/links/:slug (spec 4.4). */
export const deleteBundle = operation({
  name: 'delete_bundle',
  summary: 'Delete a bundle; it can be restored',
  route: 'DELETE /links/:slug',
  access: { scope: 'links:write' },
  input: OneBundle,
  run: ({ slug }, context) => shown(context, bundles.remove(changing(context), slug, context.expectedVersion)),
})

/** POST /api/links/:slug/restore (decisions 1). */
export const restoreBundle = operation({
  name: 'restore_bundle',
  summary: 'Take the deletion of a bundle back',
  route: 'POST /links/:slug/restore',
  access: { scope: 'links:write' },
  body: 'none',
  input: OneBundle,
  present: toBundle,
  headers: etag,
  run: ({ slug }, context) => shown(context, bundles.restore(changing(context), slug)),
})

/** GET /api/me/links (spec 4.5). */
export const listBundles = operation({
  name: 'list_bundles',
  summary: "List the acting subject's bundles, newest first",
  route: 'GET /me/links',
  access: { scope: 'links:read' },
  input: Paging,
  async run(pagination, { service: { store }, caller }) {
    const acting = signedIn(caller)
    const found = await bundles.list(store, acting, pagination)
    return { bundles: found.map(toListItem), pagination, subject: acting.subject }
  },
})

/** GET /api/links/:slug/versions (spec 4.6). */
export const listVersions = operation({
  name: 'list_versions',
  summary: 'List every version of a bundle, newest first',
  route: 'GET /links/:slug/versions',
  access: { scope: 'links:read' },
  input: OneBundle,
  async run({ slug }, { service: { store }, caller }) {
    const found = await versions.listVersions(store, signedIn(caller), slug)
    return { versions: found.map(toSnapshot) }
  },
})

/** POST /api/links/:slug/versions/:versionNumber/restore (decisions 1). */
export const restoreVersion = operation({
  name: 'restore_version',
  summary: 'Make an old version the newest again',
  route: 'POST /links/:slug/versions/:versionNumber/restore',
  access: { scope: 'links:write' },
  body: 'none',
  input: OneVersion,
  present: toBundle,
  headers: etag,
  run: ({ slug, versionNumber }, context): Promise<StoredBundle> =>
    shown(
      context,
      versions.restoreVersion({ ...changing(context), slug, expectedVersion: context.expectedVersion }, versionNumber),
    ),
})

/** POST /api/claims (decisions 4). */
export const claimBundle = operation({
  name: 'claim_bundle',
  summary: 'Take an unclaimed bundle into the account, by its claim token',
  route: 'POST /claims',
  access: { scope: 'links:write' },
  input: Claim,
  present: toBundle,
  headers: etag,
  run: (by, context) => shown(context, claims.claim(changing(context), by)),
})

/** GET /api/me/claims: what can be claimed without a token. */
export const listClaims = operation({
  name: 'list_claims',
  summary: 'List the unclaimed bundles that were made with your verified e-mail address',
  route: 'GET /me/claims',
  access: { scope: 'links:read' },
  input: type({ '+': 'reject' }),
  run: async (_, { service: { store }, caller }) => ({ bundles: await claims.listClaimable(store, signedIn(caller)) }),
})
