import * as bundles from '../bundles/content/answers.ts'
import { etag, type StoredBundle, toBundle } from '../bundles/edit/bundles.ts'
import { editing } from '../bundles/edit/edit.ts'
import { Part } from '../core/paging.ts'
import { signedIn } from '../identity/caller.ts'
import { implement } from '../operations/operation.ts'
import { Proposal, ProposalInFull, ProposalList } from './answers.ts'
import * as decisions from './decisions.ts'
import { toFull, toListed, toProposal } from './present.ts'
import * as proposals from './proposals.ts'
import { Acceptance, NewProposal, OneProposal, ProposalQuery, Rejection } from './shapes.ts'
import * as stored from './stored.ts'

/** POST /api/links/:slug/proposals. */
export const proposeEdit = implement('propose_edit', {
  summary: 'Suggest an edit for a person to accept',
  description:
    'Like update_bundle, but nothing changes until an editor accepts it: use it if you are not sure. Send the `versionNumber` ' +
    'that you have read as `baseVersion`: others’ edits since then are merged.',
  status: 201,
  input: NewProposal,
  example: { slug: 'launch-day', baseVersion: 2, title: 'Launch week', reason: 'It takes until Friday.' },
  output: Proposal,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT'],
  present: toProposal,
  replayed: (first, { input }) => proposals.replayed(first, input),
  headers: { location: ({ slug, id }: stored.Proposal) => `/api/links/${slug}/proposals/${id}` },
  run: (input, context) =>
    proposals.propose(input, { ...editing(context), mailer: context.service.mailer, commit: context.commit }),
})

/** GET /api/links/:slug/proposals. */
export const listProposals = implement('list_proposals', {
  summary: 'List the proposals for a bundle',
  description: 'Lists the open proposals for a bundle, newest first, or those with another `state`.',
  input: ProposalQuery,
  output: ProposalList,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: toList,
  run: (query, { service: { store }, caller }) => stored.listOf(store, signedIn(caller), query),
})

/** GET /api/me/proposals. */
export const listOpenProposals = implement('list_open_proposals', {
  summary: 'List the open proposals for all your bundles',
  description: 'Lists the open proposals for all your bundles, newest first.',
  input: Part,
  output: ProposalList,
  present: toList,
  run: (part, { service: { store }, caller }) => stored.listOpen(store, signedIn(caller), part),
})

function toList({ proposals, ...more }: stored.ProposalPage) {
  return { proposals: proposals.map(toListed), ...more }
}

/** GET /api/links/:slug/proposals/:id. */
export const getProposal = implement('get_proposal', {
  summary: 'Read a proposal with everything that it changes',
  description:
    'Reads a proposal: its `difference` to its base version, and the `conflicts`, which a newer version changed too: ' +
    'without any it can be accepted.',
  input: OneProposal,
  output: ProposalInFull,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  present: toFull,
  run: (one, { service: { store }, caller }) => proposals.readInFull(store, signedIn(caller), one),
})

/** POST /api/links/:slug/proposals/:id/accept. */
export const acceptProposal = implement('accept_proposal', {
  summary: 'Accept a proposal; it becomes a version',
  description:
    'Merges it onto the newest version, link by link, field by field. Fields that you send are saved instead of ' +
    'merged ones.',
  again: 'is 409 and names the version that the proposal became',
  input: Acceptance,
  output: bundles.Bundle,
  errors: ['INVALID_URLS', 'NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT', 'PROPOSAL_CONFLICT'],
  present: toBundle,
  headers: { etag },
  run: (input, context): Promise<StoredBundle> =>
    decisions.accept(
      { ...editing(context), mailer: context.service.mailer, expectedVersion: context.expectedVersion },
      input,
    ),
})

/** POST /api/links/:slug/proposals/:id/reject. */
export const rejectProposal = implement('reject_proposal', {
  summary: 'Reject a proposal, with a note',
  description: 'The bundle stays as it is.',
  again: 'is 409 and says that the proposal was rejected',
  input: Rejection,
  example: { slug: 'launch-day', id: 'p_4fGk2bNq8Z', note: 'We moved this to another bundle.' },
  output: Proposal,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PROPOSAL_CONFLICT'],
  present: toProposal,
  run: (input, { service, caller }) => decisions.reject(service, signedIn(caller), input),
})

/** POST /api/links/:slug/proposals/:id/withdraw. */
export const withdrawProposal = implement('withdraw_proposal', {
  summary: 'Withdraw a proposal of your own',
  description: 'With a key, only one made with it.',
  again: 'is 409 and says that the proposal was withdrawn',
  input: OneProposal,
  output: Proposal,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PROPOSAL_CONFLICT'],
  present: toProposal,
  run: (one, { service, caller }) => decisions.withdraw(service, signedIn(caller), one),
})
