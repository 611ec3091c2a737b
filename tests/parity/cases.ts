import type { Code } from '../../src/core/codes.ts'
import { EXTERNAL_ID, NOWHERE, POLICY, type World } from './world.ts'

type Input = Record<string, unknown>

/** One call of an operation, to be made through every transport. */
export interface Case {
  operation: string
  title: string
  input(world: World): Input
  idempotencyKey?: string
  expectedVersion?: number
  /** The calling key; default: the one with every scope. */
  key?: 'readKey'
  /** The expected error; without it the call must succeed. */
  refused?: Code
}

const A = 'https://a.example/'
/** A time to come. */
const END = new Date(Date.now() + 30 * 86_400_000).toISOString()
const condition = (when: unknown) => ({ version: 1, rules: [{ name: 'x', when, tabs: [{ url: A }] }] })

/** Calls of every operation that needs a credential: each succeeds at least once and is refused at least once. */
export const CASES: readonly Case[] = [
  { operation: 'create_bundle', title: 'a bundle', input: () => ({ urls: [A], title: 'x', source: 'import' }) },
  {
    operation: 'create_bundle',
    title: 'a bundle with a policy',
    input: () => ({ urls: [A], resolutionPolicy: POLICY }),
  },
  { operation: 'create_bundle', title: 'once for its key', idempotencyKey: 'one', input: () => ({ urls: [A] }) },
  {
    operation: 'create_bundle',
    title: 'a dry run',
    input: () => ({ urls: [A], source: 'api', resolutionPolicy: POLICY, dryRun: true }),
  },
  {
    operation: 'create_bundle',
    title: 'a dry run of a taken slug',
    input: ({ slug }) => ({ urls: [A], slug, dryRun: true }),
    refused: 'SLUG_TAKEN',
  },
  {
    operation: 'create_bundle',
    title: 'a dry run that is neither',
    input: () => ({ urls: [A], dryRun: 'yes' }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'create_bundle', title: 'no URL', input: () => ({}), refused: 'INVALID_URLS' },
  {
    operation: 'create_bundle',
    title: 'no web address',
    input: () => ({ urls: [A, 'ftp://a.example'] }),
    refused: 'INVALID_URLS',
  },
  {
    operation: 'create_bundle',
    title: 'too many URLs',
    input: () => ({ urls: Array(26).fill(A) }),
    refused: 'INVALID_URLS',
  },
  {
    operation: 'create_bundle',
    title: 'an unknown field',
    input: () => ({ urls: [A], tilte: 'x' }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'create_bundle',
    title: 'an unknown operator',
    input: () => ({ urls: [A], resolutionPolicy: condition({ op: 'nor' }) }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'create_bundle',
    title: 'a taken slug',
    input: ({ slug }) => ({ urls: [A], slug }),
    refused: 'SLUG_TAKEN',
  },
  {
    operation: 'create_bundle',
    title: 'an email address',
    input: () => ({ urls: [A], email: 'x@y.example' }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'create_bundle',
    title: 'a bad idempotency key',
    idempotencyKey: 'x'.repeat(256),
    input: () => ({ urls: [A] }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'create_bundle',
    title: 'a key that may only read',
    key: 'readKey',
    input: () => ({ urls: [A] }),
    refused: 'FORBIDDEN',
  },

  { operation: 'get_bundle', title: 'one’s own', input: ({ slug }) => ({ slug }) },
  { operation: 'get_bundle', title: 'none', input: () => ({ slug: 'there-is-none' }), refused: 'NOT_FOUND' },
  {
    operation: 'get_bundle',
    title: 'a deleted one',
    input: ({ deleted }) => ({ slug: deleted }),
    refused: 'NOT_FOUND',
  },
  {
    operation: 'get_bundle',
    title: 'somebody else’s',
    input: ({ foreign }) => ({ slug: foreign }),
    refused: 'FORBIDDEN',
  },
  { operation: 'get_bundle', title: 'nobody’s', input: ({ unclaimed }) => ({ slug: unclaimed }), refused: 'FORBIDDEN' },

  { operation: 'update_bundle', title: 'its title', input: ({ slug }) => ({ slug, title: null }) },
  { operation: 'update_bundle', title: 'who may copy it', input: ({ slug }) => ({ slug, copyable: true }) },
  {
    operation: 'update_bundle',
    title: 'its URLs',
    input: ({ slug }) => ({ slug, urls: ['https://b.example/', A, 'https://c.example/'] }),
  },
  {
    operation: 'create_bundles',
    title: 'one by one',
    input: ({ slug }) => ({ bundles: [{ urls: [A] }, { urls: [A], slug }, { urls: [A], title: 'x' }] }),
  },
  { operation: 'create_bundles', title: 'once', idempotencyKey: 'many', input: () => ({ bundles: [{ urls: [A] }] }) },
  {
    operation: 'create_bundles',
    title: 'one that is wrong',
    input: () => ({ bundles: [{ urls: [A] }, { urls: ['ftp://a.example'], title: 1 }] }),
  },
  {
    operation: 'create_bundles',
    title: 'what is no bundle',
    input: () => ({ bundles: [{ urls: [A] }, []] }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'update_bundles',
    title: 'one by one',
    input: ({ slug, foreign }) => ({
      edits: [
        { slug, addUrls: [{ url: 'https://new.example/' }] },
        { slug, title: 'old', expectedVersion: 2 },
        { slug: foreign, title: 'x' },
        { slug, title: 'y', expectedVersion: 3 },
      ],
    }),
  },
  {
    operation: 'put_bundle',
    title: 'a new one',
    input: () => ({ externalId: 'x', urls: [A], metadata: { a: 'b' }, source: 'api' }),
  },
  { operation: 'put_bundle', title: 'one that is there', input: () => ({ externalId: EXTERNAL_ID, urls: [A] }) },
  { operation: 'get_bundle', title: 'by its id', input: () => ({ slug: `ext:${EXTERNAL_ID}` }) },
  { operation: 'list_bundles', title: 'by an id', input: () => ({ externalId: EXTERNAL_ID }) },
  {
    operation: 'put_bundle',
    title: 'a dry run',
    input: () => ({ externalId: 'x', urls: [A], source: 'api', dryRun: true }),
  },
  { operation: 'put_bundle', title: 'no URL', input: () => ({ externalId: 'x' }), refused: 'INVALID_URLS' },
  {
    operation: 'put_bundle',
    title: 'one that is not there, of a version',
    input: () => ({ externalId: 'x', urls: [A] }),
    expectedVersion: 2,
    refused: 'VERSION_CONFLICT',
  },
  {
    operation: 'get_bundle',
    title: 'by an id that none has',
    input: () => ({ slug: 'ext:none' }),
    refused: 'NOT_FOUND',
  },
  { operation: 'update_bundles', title: 'nothing', input: () => ({ edits: [] }), refused: 'BAD_REQUEST' },
  {
    operation: 'update_bundle',
    title: 'single links',
    input: ({ slug }) => ({
      slug,
      addUrls: [{ url: 'https://new.example/', note: 'New', at: 0 }],
      setMetadata: { [A]: { tags: ['x'], note: null } },
    }),
  },
  {
    operation: 'update_bundle',
    title: 'a link that is there',
    input: ({ slug }) => ({ slug, addUrls: [{ url: A }] }),
    refused: 'INVALID_URLS',
  },
  {
    operation: 'update_bundle',
    title: 'its policy',
    input: ({ slug, ruleId }) => ({
      slug,
      resolutionPolicy: {
        version: 1,
        rules: [
          { ...POLICY.rules[0], id: ruleId, name: 'renamed' },
          { name: 'new', when: { op: 'not', of: { op: 'signedIn' } }, tabs: [{ url: A }] },
        ],
      },
    }),
  },
  {
    operation: 'update_bundle',
    title: 'the version that was read',
    expectedVersion: 2,
    input: ({ slug }) => ({ slug, title: 'y' }),
  },
  {
    operation: 'update_bundle',
    title: 'a dry run',
    expectedVersion: 2,
    input: ({ slug }) => ({ slug, description: 'y', dryRun: true }),
  },
  {
    operation: 'update_bundle',
    title: 'a dry run of a policy with doubts',
    input: ({ slug }) => ({
      slug,
      dryRun: true,
      resolutionPolicy: condition({ op: 'endsWith', field: 'emailDomain', value: 'acme.com' }),
    }),
  },
  {
    operation: 'update_bundle',
    title: 'a dry run of an old version',
    expectedVersion: 1,
    input: ({ slug }) => ({ slug, title: 'y', dryRun: true }),
    refused: 'VERSION_CONFLICT',
  },
  {
    operation: 'update_bundle',
    title: 'an old version',
    expectedVersion: 1,
    input: ({ slug }) => ({ slug, title: 'y' }),
    refused: 'VERSION_CONFLICT',
  },
  { operation: 'update_bundle', title: 'nothing', input: ({ slug }) => ({ slug }), refused: 'BAD_REQUEST' },
  {
    operation: 'update_bundle',
    title: 'a title that is too long',
    input: ({ slug }) => ({ slug, title: 'x'.repeat(201) }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'update_bundle',
    title: 'another bundle’s rule',
    input: ({ slug }) => ({
      slug,
      resolutionPolicy: { version: 1, rules: [{ ...POLICY.rules[0], id: 'r_0000000000' }] },
    }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'update_bundle',
    title: 'nobody’s',
    input: ({ unclaimed }) => ({ slug: unclaimed, title: 'y' }),
    refused: 'FORBIDDEN',
  },
  {
    operation: 'update_bundle',
    title: 'a key that may only read',
    key: 'readKey',
    input: ({ slug }) => ({ slug, title: 'y' }),
    refused: 'FORBIDDEN',
  },

  {
    operation: 'inspect_urls',
    title: 'links that are not looked at',
    input: () => ({ urls: ['http://localhost:22/', 'https://a:b@c.example/'] }),
  },
  { operation: 'inspect_urls', title: 'no link', input: () => ({ urls: [] }), refused: 'INVALID_URLS' },

  { operation: 'delete_bundle', title: 'one’s own', expectedVersion: 2, input: ({ slug }) => ({ slug }) },
  {
    operation: 'delete_bundle',
    title: 'an old version',
    expectedVersion: 1,
    input: ({ slug }) => ({ slug }),
    refused: 'VERSION_CONFLICT',
  },
  {
    operation: 'delete_bundle',
    title: 'a deleted one',
    input: ({ deleted }) => ({ slug: deleted }),
    refused: 'NOT_FOUND',
  },

  { operation: 'restore_bundle', title: 'a deleted one', input: ({ deleted }) => ({ slug: deleted }) },
  { operation: 'restore_bundle', title: 'one that stands', input: ({ slug }) => ({ slug }) },
  { operation: 'restore_bundle', title: 'none', input: () => ({ slug: 'there-is-none' }), refused: 'NOT_FOUND' },

  {
    operation: 'transfer_bundle',
    title: 'to who has it',
    input: ({ slug, person: { userId } }) => ({ slug, to: { type: 'user', userId } }),
  },
  {
    operation: 'transfer_bundle',
    title: 'to somebody else',
    input: ({ slug }) => ({ slug, to: { type: 'user', userId: 'somebody' } }),
    refused: 'FORBIDDEN',
  },
  {
    operation: 'transfer_bundle',
    title: 'to nobody',
    input: ({ slug }) => ({ slug, to: { type: 'team' } }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'duplicate_bundle', title: 'one’s own', input: ({ slug }) => ({ slug }) },
  {
    operation: 'duplicate_bundle',
    title: 'once for its key, with another title',
    idempotencyKey: 'one',
    input: ({ slug }) => ({ slug, title: 'a copy', source: 'import' }),
  },
  {
    operation: 'duplicate_bundle',
    title: 'a dry run without the rules',
    input: ({ slug }) => ({ slug, source: 'api', description: 'x', resolutionPolicy: null, dryRun: true }),
  },
  {
    operation: 'duplicate_bundle',
    title: 'a week later',
    input: ({ slug }) => ({ slug, shiftDays: 7, timeZone: 'Europe/Berlin', closesAt: '2099-12-24T18:00:00.000Z' }),
  },
  {
    operation: 'duplicate_bundle',
    title: 'a taken slug',
    input: ({ slug, deleted }) => ({ slug, newSlug: deleted }),
    refused: 'SLUG_TAKEN',
  },
  {
    operation: 'duplicate_bundle',
    title: 'no web address',
    input: ({ slug }) => ({ slug, urls: ['ftp://a.example'] }),
    refused: 'INVALID_URLS',
  },
  {
    operation: 'duplicate_bundle',
    title: 'an unknown field',
    input: ({ slug }) => ({ slug, email: 'x@y.example' }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'duplicate_bundle',
    title: 'a deleted one',
    input: ({ deleted }) => ({ slug: deleted }),
    refused: 'NOT_FOUND',
  },
  {
    operation: 'duplicate_bundle',
    title: 'somebody else’s',
    input: ({ foreign }) => ({ slug: foreign }),
    refused: 'FORBIDDEN',
  },
  {
    operation: 'duplicate_bundle',
    title: 'a key that may only read',
    key: 'readKey',
    input: ({ slug }) => ({ slug }),
    refused: 'FORBIDDEN',
  },

  { operation: 'list_bundles', title: 'all', input: () => ({}) },
  { operation: 'list_bundles', title: 'a page', input: () => ({ limit: 1, offset: 5 }) },
  { operation: 'list_bundles', title: 'those with a tag', input: () => ({ tag: 'live' }) },
  { operation: 'list_bundles', title: 'an empty tag', input: () => ({ tag: ' ' }), refused: 'BAD_REQUEST' },
  { operation: 'list_bundles', title: 'too many', input: () => ({ limit: 101 }), refused: 'BAD_REQUEST' },
  { operation: 'list_bundles', title: 'an unknown field', input: () => ({ page: 2 }), refused: 'BAD_REQUEST' },

  { operation: 'pin_bundle', title: 'one’s own', key: 'readKey', input: ({ slug }) => ({ slug }) },
  {
    operation: 'pin_bundle',
    title: 'a deleted one',
    input: ({ deleted }) => ({ slug: deleted }),
    refused: 'NOT_FOUND',
  },
  { operation: 'unpin_bundle', title: 'what is not pinned', input: ({ slug }) => ({ slug }) },
  {
    operation: 'unpin_bundle',
    title: 'somebody else’s',
    input: ({ foreign }) => ({ slug: foreign }),
    refused: 'FORBIDDEN',
  },

  { operation: 'list_versions', title: 'of one’s own', input: ({ slug }) => ({ slug }) },
  {
    operation: 'list_versions',
    title: 'of somebody else’s',
    input: ({ foreign }) => ({ slug: foreign }),
    refused: 'FORBIDDEN',
  },

  {
    operation: 'restore_version',
    title: 'the first',
    expectedVersion: 2,
    input: ({ slug }) => ({ slug, versionNumber: 1 }),
  },
  {
    operation: 'restore_version',
    title: 'one that never was',
    input: ({ slug }) => ({ slug, versionNumber: 9 }),
    refused: 'NOT_FOUND',
  },
  {
    operation: 'restore_version',
    title: 'no number',
    input: ({ slug }) => ({ slug, versionNumber: 'first' }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'restore_version',
    title: 'of an old version',
    expectedVersion: 1,
    input: ({ slug }) => ({ slug, versionNumber: 1 }),
    refused: 'VERSION_CONFLICT',
  },

  {
    operation: 'preview_policy',
    title: 'the saved one',
    input: ({ slug }) => ({ slug, viewer: { emailDomain: 'acme.com' } }),
  },
  { operation: 'preview_policy', title: 'nobody in particular', input: ({ slug }) => ({ slug }) },
  {
    operation: 'preview_policy',
    title: 'a draft',
    input: ({ slug }) => ({
      slug,
      viewer: { query: { ref: 'x' } },
      resolutionPolicy: condition({ op: 'timeWindow', days: ['mon'], from: '09:00', to: '24:00', timeZone: 'UTC' }),
    }),
  },
  { operation: 'preview_policy', title: 'no policy', input: ({ slug }) => ({ slug, resolutionPolicy: null }) },
  {
    operation: 'preview_policy',
    title: 'no such device',
    input: ({ slug }) => ({ slug, viewer: { device: 'fridge' } }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'preview_policy', title: 'none', input: () => ({ slug: 'there-is-none' }), refused: 'NOT_FOUND' },

  { operation: 'claim_bundle', title: 'by its token', input: ({ claimToken }) => ({ token: claimToken }) },
  { operation: 'claim_bundle', title: 'by no token', input: () => ({ token: 'x' }), refused: 'NOT_FOUND' },
  {
    operation: 'claim_bundle',
    title: 'by both',
    input: ({ claimToken, unclaimed }) => ({ token: claimToken, slug: unclaimed }),
    refused: 'BAD_REQUEST',
  },

  { operation: 'get_overview', title: 'of a month', input: () => ({}) },
  {
    operation: 'get_overview',
    title: 'of no such range',
    input: () => ({ from: '2026-10-31', to: '2026-10-01' }),
    refused: 'BAD_REQUEST',
  },

  {
    operation: 'replace_url',
    title: 'tried',
    input: () => ({ from: 'https://nowhere.example/', to: 'https://elsewhere.example/', dryRun: true }),
  },
  {
    operation: 'replace_url',
    title: 'by none',
    input: () => ({ from: 'https://nowhere.example/' }),
    refused: 'BAD_REQUEST',
  },

  {
    operation: 'get_tabs',
    title: 'filled',
    input: ({ filled }) => ({ slug: filled, values: { id: 'a b&c', range: '30d', other: 'x' } }),
  },
  {
    operation: 'get_tabs',
    title: 'with values missing and refused',
    input: ({ filled }) => ({ slug: filled, values: { range: '9d' } }),
  },
  { operation: 'get_tabs', title: 'of somebody else’s', input: ({ foreign }) => ({ slug: foreign }) },
  { operation: 'get_tabs', title: 'none', input: () => ({ slug: 'there-is-none' }), refused: 'NOT_FOUND' },

  { operation: 'get_insights', title: 'of a month', input: ({ slug }) => ({ slug }) },
  { operation: 'get_insights', title: 'of a week', input: ({ slug }) => ({ slug, range: '7d' }) },
  {
    operation: 'get_insights',
    title: 'of October',
    input: ({ slug }) => ({ slug, from: '2026-10-01', to: '2026-10-31' }),
  },
  {
    operation: 'get_insights',
    title: 'of somebody else’s',
    input: ({ foreign }) => ({ slug: foreign }),
    refused: 'FORBIDDEN',
  },

  { operation: 'list_events', title: 'all', input: () => ({}) },
  {
    operation: 'list_events',
    title: 'of a bundle, without those for admins',
    key: 'readKey',
    input: ({ slug }) => ({ target: slug, limit: 2 }),
  },
  { operation: 'list_events', title: 'no such type', input: () => ({ type: 'bundle.opened' }), refused: 'BAD_REQUEST' },
  { operation: 'who_am_i', title: 'oneself', input: () => ({}) },
  { operation: 'who_am_i', title: 'a key that may only read', key: 'readKey', input: () => ({}) },
  { operation: 'who_am_i', title: 'a field that it does not know', input: () => ({ you: 'who' }) },

  {
    operation: 'propose_edit',
    title: 'a title and its reason',
    input: ({ slug }) => ({ slug, baseVersion: 1, title: 'x', reason: 'because' }),
  },
  {
    operation: 'propose_edit',
    title: 'once for its key, with a policy',
    idempotencyKey: 'one',
    input: ({ slug }) => ({ slug, urls: [A], resolutionPolicy: null }),
  },
  { operation: 'propose_edit', title: 'nothing', input: ({ slug }) => ({ slug, reason: 'x' }), refused: 'BAD_REQUEST' },
  {
    operation: 'propose_edit',
    title: 'with a key that may only read',
    key: 'readKey',
    input: ({ slug }) => ({ slug, title: 'x' }),
    refused: 'FORBIDDEN',
  },
  { operation: 'list_proposals', title: 'all', input: ({ slug }) => ({ slug, state: 'all' }) },
  {
    operation: 'list_proposals',
    title: 'no such state',
    input: ({ slug }) => ({ slug, state: 'new' }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'list_open_proposals', title: 'of all bundles', input: () => ({}) },
  { operation: 'list_open_proposals', title: 'a field', input: () => ({ x: 'y' }), refused: 'BAD_REQUEST' },
  { operation: 'get_proposal', title: 'one', input: ({ slug, proposalId }) => ({ slug, id: proposalId }) },
  {
    operation: 'get_proposal',
    title: 'none',
    input: ({ slug }) => ({ slug, id: 'p_0000000000' }),
    refused: 'NOT_FOUND',
  },
  {
    operation: 'accept_proposal',
    title: 'another title, for the version that was read',
    expectedVersion: 2,
    input: ({ slug, proposalId }) => ({ slug, id: proposalId, title: 'Launch month' }),
  },
  {
    operation: 'accept_proposal',
    title: 'another version than the newest',
    expectedVersion: 1,
    input: ({ slug, proposalId }) => ({ slug, id: proposalId }),
    refused: 'VERSION_CONFLICT',
  },
  {
    operation: 'reject_proposal',
    title: 'with a note',
    input: ({ slug, proposalId }) => ({ slug, id: proposalId, note: 'no' }),
  },
  {
    operation: 'reject_proposal',
    title: 'none',
    input: ({ slug }) => ({ slug, id: 'p_0000000000' }),
    refused: 'NOT_FOUND',
  },
  { operation: 'withdraw_proposal', title: 'one’s own', input: ({ slug, proposalId }) => ({ slug, id: proposalId }) },
  {
    operation: 'withdraw_proposal',
    title: 'with a key that may only read',
    key: 'readKey',
    input: ({ slug, proposalId }) => ({ slug, id: proposalId }),
    refused: 'FORBIDDEN',
  },

  {
    operation: 'create_key',
    title: 'a key',
    input: () => ({ name: 'import', scopes: ['links:read', 'links:write'], rateLimitPerHour: 5 }),
  },
  {
    operation: 'create_key',
    title: 'that ends and works from some networks',
    input: () => ({ name: 'x', expiresAt: END, allowedNetworks: ['10.1.2.3/8', '2001:db8::1', '127.0.0.1', '::1'] }),
  },
  {
    operation: 'create_key',
    title: 'no network',
    input: () => ({ name: 'x', allowedNetworks: ['a.example'] }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'create_key', title: 'no name', input: () => ({ name: ' ' }), refused: 'BAD_REQUEST' },
  {
    operation: 'create_key',
    title: 'no such scope',
    input: () => ({ name: 'x', scopes: ['links:delete'] }),
    refused: 'BAD_REQUEST',
  },
  {
    operation: 'create_key',
    title: 'a key that may only read',
    key: 'readKey',
    input: () => ({ name: 'x' }),
    refused: 'FORBIDDEN',
  },

  { operation: 'list_keys', title: 'all', input: () => ({}) },
  {
    operation: 'list_keys',
    title: 'a key that may only read',
    key: 'readKey',
    input: () => ({}),
    refused: 'FORBIDDEN',
  },

  { operation: 'revoke_key', title: 'one’s own', input: ({ spareKeyId }) => ({ id: spareKeyId }) },
  { operation: 'revoke_key', title: 'none', input: () => ({ id: 999_999_999 }), refused: 'NOT_FOUND' },
  { operation: 'revoke_key', title: 'no number', input: () => ({ id: 'first' }), refused: 'BAD_REQUEST' },

  { operation: 'rotate_key', title: 'one’s own', input: ({ spareKeyId }) => ({ id: spareKeyId }) },
  {
    operation: 'rotate_key',
    title: 'at once, with an end',
    input: ({ spareKeyId }) => ({ id: spareKeyId, graceHours: 0, expiresAt: END }),
  },
  { operation: 'rotate_key', title: 'none', input: () => ({ id: 999_999_999 }), refused: 'NOT_FOUND' },
  {
    operation: 'rotate_key',
    title: 'too much grace',
    input: ({ spareKeyId }) => ({ id: spareKeyId, graceHours: 25 }),
    refused: 'BAD_REQUEST',
  },

  {
    operation: 'rotate_webhook_secret',
    title: 'none',
    input: () => ({ webhookId: 'none' }),
    refused: 'NOT_FOUND',
  },
  {
    operation: 'create_webhook',
    title: 'for two events',
    input: () => ({ url: NOWHERE, events: ['bundle.created', 'bundle.claimed'] }),
  },
  {
    operation: 'create_webhook',
    title: 'once for its key',
    idempotencyKey: 'one',
    input: () => ({ url: NOWHERE, events: ['bundle.created'] }),
  },
  {
    operation: 'create_webhook',
    title: 'a metadata address',
    input: () => ({ url: 'http://169.254.169.254/', events: ['bundle.created'] }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'list_webhooks', title: 'all', input: () => ({}) },
  {
    operation: 'list_webhooks',
    title: 'with a key that may only read',
    key: 'readKey',
    input: () => ({}),
    refused: 'FORBIDDEN',
  },
  { operation: 'update_webhook', title: 'disabled', input: ({ webhookId }) => ({ webhookId, enabled: false }) },
  { operation: 'update_webhook', title: 'nothing', input: ({ webhookId }) => ({ webhookId }), refused: 'BAD_REQUEST' },
  { operation: 'rotate_webhook_secret', title: 'one’s own', input: ({ webhookId }) => ({ webhookId }) },
  { operation: 'delete_webhook', title: 'one’s own', input: ({ webhookId }) => ({ webhookId }) },
  { operation: 'delete_webhook', title: 'none', input: () => ({ webhookId: 'wh_none' }), refused: 'NOT_FOUND' },
  { operation: 'test_webhook', title: 'one’s own', input: ({ webhookId }) => ({ webhookId }) },
  { operation: 'test_webhook', title: 'none', input: () => ({ webhookId: 'wh_none' }), refused: 'NOT_FOUND' },
  { operation: 'list_deliveries', title: 'all', input: ({ webhookId }) => ({ webhookId }) },
  {
    operation: 'list_deliveries',
    title: 'too many',
    input: ({ webhookId }) => ({ webhookId, limit: 1000 }),
    refused: 'BAD_REQUEST',
  },
  { operation: 'redeliver', title: 'one', input: ({ webhookId, deliveryId }) => ({ webhookId, deliveryId }) },
  {
    operation: 'redeliver',
    title: 'none',
    input: ({ webhookId }) => ({ webhookId, deliveryId: 999_999_999 }),
    refused: 'NOT_FOUND',
  },
]
