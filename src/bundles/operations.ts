import { type } from 'arktype'
import { type Context, implement } from '../core/operation.ts'
import { signedIn } from '../identity/caller.ts'
import { countMail } from '../mail/limits.ts'
import type { StoredBundle } from './access.ts'
import { loadFor } from './access.ts'
import * as answers from './answers.ts'
import * as bundles from './bundles.ts'
import * as claims from './claims.ts'
import * as dryRun from './dry-run.ts'
import { type Listed, list } from './listing.ts'
import { etag, toBundle, toListItem, toSnapshot } from './present.ts'
import { BundleEdit, Claim, Listing, NewBundle, OneBundle, OneVersion, Versions } from './shapes.ts'
import * as versions from './versions.ts'

/** What verbs that change a bundle work on. */
function editing({ service: { store, config, blockedHosts }, caller }: Context) {
  return { store, config, blockedHosts, caller: signedIn(caller) }
}

/** POST /api/links (spec 4.1). */
export const createBundle = implement('create_bundle', {
  summary: 'Make a bundle of up to 25 URLs and get its link',
  description:
    'Makes a bundle: an ordered set of 1 to 25 web addresses behind one link. Whoever opens that link (`url` of the ' +
    'answer) sees the list and can open every tab at once. With a key or a session the bundle is yours, and you can ' +
    'edit it and read its insights. Without either it has no owner, and the answer holds a claim token, shown once, to ' +
    'take it into an account later. `resolutionPolicy` shows different tabs to different viewers. With `dryRun` ' +
    'everything is checked and nothing is made.',
  labelled: true,
  status: 201,
  input: NewBundle,
  example: {
    title: 'Launch day',
    urls: ['https://example.com/plan', 'https://example.com/status'],
    urlMetadata: [{ note: 'Read this first' }, { tags: ['live'], openPolicy: 'manual' }],
  },
  output: answers.CreatedBundle,
  errors: ['INVALID_URLS', 'FORBIDDEN', 'PLAN_LIMIT', 'SLUG_TAKEN'],
  headers: { location: ({ slug }: answers.CreatedBundle) => `/api/links/${slug}` },
  async run(input, { service: { store, config, blockedHosts, mailer, bucket }, caller, client, source, commit }) {
    const { email } = input
    const mail = email !== undefined && mailer.isConfigured ? await countMail(bucket, email, null) : null
    const creation = { store, config, blockedHosts, caller, client, source, commit }
    try {
      const isWithheld = mail !== null && mail.waitSeconds > 0
      const created = await bundles.create(input, { ...creation, claimMail: isWithheld ? 'withheld' : 'sent' })
      if (email !== undefined && !isWithheld) mailer.sendIfConfigured(claims.claimMail(email, created, config))
      return created
    } catch (error) {
      await mail?.undo()
      throw error
    }
  },
  dryRun: (input, { service: { store, config, blockedHosts }, caller, client, source }) =>
    dryRun.create(input, { store, config, blockedHosts, caller, client, source }),
})

/** GET /api/links/:slug (spec 4.2). */
export const getBundle = implement('get_bundle', {
  summary: 'Read a bundle in full',
  description:
    'Reads one of your bundles as it stands now: its URLs, their notes and tags, its title, owner, times and policy. ' +
    'Read a bundle before you edit it: an edit replaces whole fields. Its version is in the ETag.',
  input: OneBundle,
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: toBundle,
  headers: { etag },
  run: ({ slug }, { service: { store }, caller }) => loadFor(store.db, signedIn(caller), slug, 'viewer'),
})

/** PATCH /api/links/:slug (spec 4.3). */
export const updateBundle = implement('update_bundle', {
  summary: 'Edit a bundle; every edit becomes a version',
  description:
    'Changes the fields that you send and leaves the others as they are; send at least one. A field that you send is ' +
    'replaced whole: to add a URL, send all `urls` with the new one among them. With `urls` alone each URL that stays ' +
    'keeps its metadata. `resolutionPolicy: null` takes the policy away. Viewers see the edit at once. Every edit is kept ' +
    'as a version, so it can be undone with restore_version. With `dryRun` the answer is what would be saved, and ' +
    'warnings about its policy; nothing is.',
  input: BundleEdit,
  example: { slug: 'launch-day', title: 'Launch day, moved to Friday' },
  output: answers.Bundle,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: ({ slug, ...changes }, context): Promise<StoredBundle> =>
    versions.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes),
  dryRun: ({ slug, ...changes }, context) =>
    dryRun.edit({ ...editing(context), slug, expectedVersion: context.expectedVersion }, changes),
})

/** DELETE /api/links/:slug (spec 4.4). */
export const deleteBundle = implement('delete_bundle', {
  summary: 'Delete a bundle; it can be restored',
  description:
    'Takes a bundle off: its link answers 404 from now on. Its slug, versions and counts are kept, and restore_bundle ' +
    'takes the deletion back. An organisation’s bundle can be deleted by its admins only.',
  input: OneBundle,
  output: answers.DeletedBundle,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  run: ({ slug }, context) => bundles.remove(editing(context), slug, context.expectedVersion),
})

/** POST /api/links/:slug/restore (decisions 1). */
export const restoreBundle = implement('restore_bundle', {
  summary: 'Take the deletion of a bundle back',
  description:
    'Brings a deleted bundle back under its old link, as it was. A bundle that is not deleted stays as it is. It counts ' +
    'against the plan again, so it is refused with PLAN_LIMIT where the plan is full.',
  input: OneBundle,
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: ({ slug }, context) => bundles.restore(editing(context), slug),
})

/** GET /api/me/links (spec 4.5). */
export const listBundles = implement('list_bundles', {
  summary: "List or search the acting subject's bundles",
  description:
    'Lists your bundles, or those of the organisation that you act for. Use it to find the slug of a bundle. There may be ' +
    'more where as many come back as `limit` allows: ask again with a higher `offset`. Policies are left out here: see ' +
    'get_bundle. Deleted bundles, which restore_bundle brings back, are listed with `state: "deleted"`.',
  input: Listing,
  output: answers.BundleList,
  // How many there are is for pages; the route's body is the specification's.
  present: ({ bundles, pagination, subject }: Listed) => ({ bundles: bundles.map(toListItem), pagination, subject }),
  run: (asked, { service: { store }, caller }) => list(store, signedIn(caller), asked),
})

/** GET /api/links/:slug/versions (spec 4.6). */
export const listVersions = implement('list_versions', {
  summary: 'List every version of a bundle, newest first',
  description:
    'Lists every state that a bundle has had, newest first, with who made it and when. Version 1 is the bundle as it was ' +
    'made; the first of the list is how it stands now. To go back to one, give its versionNumber to restore_version. All ' +
    'are listed unless you send `limit`; `before` begins further back. A tool lists as many as fit into a message, at ' +
    'most 25, and says where to go on.',
  input: Versions,
  output: answers.VersionList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: (history: versions.History) => ({ versions: versions.inMessage(history).versions.map(toSnapshot) }),
  whole: (history) => (versions.inMessage(history).before === null ? null : historyParts(history)),
  words(history) {
    const { before } = versions.inMessage(history)
    return before === null ? null : `There are older versions: call list_versions again with "before": ${before}.`
  },
  run: (asked, { service: { store }, caller }) => versions.listVersions(store, signedIn(caller), asked),
})

/** What `present` would make of the whole of a history, as JSON. */
async function* historyParts({ versions: found, rest }: versions.History): AsyncGenerator<string> {
  yield '{"versions":['
  let separator = ''
  for await (const version of both(found, rest ?? [])) {
    yield separator + JSON.stringify(toSnapshot(version))
    separator = ','
  }
  yield ']}'
}

async function* both<T>(first: Iterable<T>, rest: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* first
  yield* rest
}

/** POST /api/links/:slug/versions/:versionNumber/restore (decisions 1). */
export const restoreVersion = implement('restore_version', {
  summary: 'Make an old version the newest again',
  description:
    'Undoes edits: writes a new version that equals an old one, policy included. Nothing is lost, for the versions in ' +
    'between stay. To undo the last edit, restore the second version that list_versions gives.',
  input: OneVersion,
  output: answers.Bundle,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toBundle,
  headers: { etag },
  run: ({ slug, versionNumber }, context): Promise<StoredBundle> =>
    versions.restoreVersion({ ...editing(context), slug, expectedVersion: context.expectedVersion }, versionNumber),
})

/** POST /api/claims (decisions 4). */
export const claimBundle = implement('claim_bundle', {
  summary: 'Take an unclaimed bundle into the account, by its claim token',
  description:
    'Takes a bundle into your account that was made without one. Send the claim token that its maker was given, or, signed in ' +
    'with the address that it was made with, its slug (see list_claims). A token works once, and for 7 days unless this ' +
    'server says otherwise. The bundle keeps its link, versions and counts.',
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
  summary: 'List the unclaimed bundles that were made with your verified e-mail address',
  description:
    'Lists bundles that claim_bundle gives you by their slug alone, because they were made with your verified e-mail ' +
    'address. A key stands for no address, so with a key the list is empty.',
  input: type({ '+': 'reject' }),
  output: answers.ClaimableList,
  async run(_, { service: { store }, caller }) {
    // A key stands for no person, and so for no address.
    return { bundles: caller.kind === 'session' ? await claims.listClaimable(store, caller.session) : [] }
  },
})
