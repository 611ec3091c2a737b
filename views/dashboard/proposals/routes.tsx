/** @jsxImportSource @kitajs/html */

import { getBundle } from '../../../src/bundles/edit/operations.ts'
import { dropBroken } from '../../../src/checks/choices.ts'
import { besideField } from '../../../src/core/field-words.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { yieldToEventLoop } from '../../../src/core/scheduling.ts'
import { versionIn } from '../../../src/http/body.ts'
import { signedIn } from '../../../src/identity/caller.ts'
import {
  acceptProposal,
  getProposal,
  listOpenProposals,
  listProposals,
  rejectProposal,
  withdrawProposal,
} from '../../../src/proposals/operations.ts'
import type { ProposalInFull } from '../../../src/proposals/present.ts'
import { listOpen } from '../../../src/proposals/stored.ts'
import { withFlash } from '../../parts/messages.ts'
import type { BundleForm } from '../parts/bundle-form/bundle-form.ts'
import { checkedForm } from '../parts/bundle-form/checked-form.ts'
import { contentOf, formOf, rulesOf } from '../parts/bundle-form/form.ts'
import { isPreviewHidden, refuseInvalid } from '../parts/bundle-form/preview.tsx'
import { answerTo, sentForm, stepOf, touched, untouched, withSeen } from '../parts/bundle-form/state.ts'
import { madeVersion } from '../parts/flash.tsx'
import {
  iconsFor,
  type Outcome,
  resultOrProblem,
  run,
  type Screen,
  type ScreenPage,
  type Visit,
} from '../parts/screens.tsx'
import { EffectDiff } from './conflicts.tsx'
import { EditProposalPage } from './editing.tsx'
import { BundleProposalsView, InboxView } from './lists.tsx'
import { proposable } from './suggest.tsx'
import { ProposalView } from './view.tsx'

/** The inbox, the proposals for a bundle, and the actions on one. */
export const proposalScreens: readonly Screen[] = [
  {
    path: routes.proposals.path,
    async get(visit) {
      const { proposals } = await run(visit, listOpenProposals, {})
      return { section: 'proposals', title: 'Suggestions', view: <InboxView site={visit.site} proposals={proposals} /> }
    },
  },
  {
    path: routes.bundle.proposals.path,
    async get(visit) {
      const { slug } = visit.params
      const bundle = await run(visit, getBundle, { slug })
      const { proposals } = await run(visit, listProposals, { slug, state: 'all' })
      const view = <BundleProposalsView site={visit.site} bundle={bundle} proposals={proposals} />
      return { section: 'bundles', title: 'Suggestions', view }
    },
  },
  { path: routes.bundle.proposal.path, get: (visit) => proposalPage(visit) },
  { path: routes.bundle.accept.path, post: accept },
  { path: routes.bundle.reject.path, post: reject },
  {
    path: routes.bundle.withdraw.path,
    async post(visit) {
      const closed = await resultOrProblem(() => run(visit, withdrawProposal, visit.params))
      if (closed instanceof Problem) return proposalPage(visit, { problem: closed })
      return { to: withFlash(routes.bundle.proposals.href({ slug: closed.slug }), 'withdrawn') }
    },
  },
  { path: routes.bundle.editProposal.path, get: (visit) => edit(visit), post: acceptEdited },
]

async function proposalIn(visit: Visit): Promise<ProposalInFull> {
  const since = performance.now()
  const found = await run(visit, getProposal, visit.params)
  // Merging long bundles takes as long as rendering the changes.
  await yieldToEventLoop(since)
  return found
}

interface Refused {
  problem?: Problem
  note?: string
}

/** The message in a form that decides. */
const messageIn = (sent: URLSearchParams, name = 'note') => (sent.get(name) ?? '').replaceAll('\r\n', '\n')

/** The message as an operation takes it. */
const saidIn = (note: string) => (note.trim() === '' ? {} : { note })

async function proposalPage(visit: Visit, { problem, note = '' }: Refused = {}): Promise<ScreenPage> {
  const found = await proposalIn(visit)
  const { bundle, changes } = found
  const icons = await iconsFor(visit, bundle, { ...changes, urls: changes.urls ?? [], icons: bundle.icons })
  const since = performance.now()
  const changed = <EffectDiff {...found} icons={icons} />
  await yieldToEventLoop(since)
  const others = (await nextOpen(visit)).filter(({ id }) => id !== found.proposal.id).slice(0, NEXT)
  const noteIssue = problem?.issues.find(({ path }) => path[0] === 'note')
  const props = {
    ...found,
    site: visit.site,
    changed,
    icons,
    others,
    alert: problem === undefined || noteIssue !== undefined ? null : saidOf(problem),
    note: { text: note, error: noteIssue && besideField(noteIssue.reason) },
  }
  return { section: 'bundles', title: 'Suggestion', view: <ProposalView {...props} />, problem }
}

/** How many other proposals are listed beside a proposal. */
const NEXT = 3

/** The newest open proposals for bundles of the acting subject. */
async function nextOpen({ service, context: { caller } }: Visit) {
  const { proposals } = await listOpen(service.store, signedIn(caller), { limit: NEXT + 1 })
  return proposals
}

function saidOf({ code, message }: Problem): string {
  if (code === 'VERSION_CONFLICT') return 'The bundle was edited meanwhile. See what accepting it changes now.'
  return code === 'PROPOSAL_CONFLICT' ? (message.split('. ')[0] ?? message) : message
}

async function accept(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const expectedVersion = versionIn(sent.get('version') ?? '')
  if (expectedVersion === null) throw new Problem('BAD_REQUEST', 'version must be the one you last saw')
  const instead = sent.get('instead') === 'leave-out' ? await leavingOut(visit) : {}
  const note = messageIn(sent)
  const input = { ...visit.params, ...instead, ...saidIn(note) }
  const saved = await resultOrProblem(() => run(visit, acceptProposal, input, { expectedVersion }))
  if (saved instanceof Problem) return proposalPage(visit, { problem: saved, note })
  if (sent.get('after') !== 'replace') return accepted(saved)
  // The resulting page offers to replace the link in all other bundles.
  return {
    to: withFlash(
      routes.bundle.proposal.href({ slug: saved.slug, id: visit.params.id ?? '' }),
      'accepted',
      madeVersion(saved),
    ),
  }
}

/** The links without the broken one, as an alternative to its repair. */
async function leavingOut(visit: Visit) {
  const found = await proposalIn(visit)
  const links = dropBroken(found.bundle, found)
  if (links === null) throw new Problem('BAD_REQUEST', 'This page is out of date. Reload it and try again.')
  return links
}

function accepted(saved: { slug: string; versionNumber: number }): Outcome {
  return { to: withFlash(routes.bundle.edit.href({ slug: saved.slug }), 'accepted', madeVersion(saved)) }
}

async function reject(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const note = messageIn(sent)
  const closed = await resultOrProblem(() => run(visit, rejectProposal, { ...visit.params, ...saidIn(note) }))
  if (closed instanceof Problem) return proposalPage(visit, { problem: closed, note })
  return { to: withFlash(routes.bundle.proposals.href({ slug: closed.slug }), 'rejected') }
}

/** The editor with the merged content, and the message typed so far; a decided proposal is only shown. */
async function edit(visit: Visit, text = ''): Promise<Outcome> {
  const found = await proposalIn(visit)
  if (found.proposal.state !== 'open') return { to: pathOf(found) }
  const version = found.bundle.versionNumber
  const state = untouched(mergedForm(found))
  return editPage(visit, { ...found, version, isLate: false, rules: '', message: { text, error: undefined }, state })
}

/** The form of the merged content; rules have a separate page. */
function mergedForm({ bundle, changes }: ProposalInFull): BundleForm {
  const { resolutionPolicy: rules = bundle.resolutionPolicy, ...content } = changes
  return { ...formOf({ ...bundle, ...content }), rules }
}

async function acceptEdited(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  if (sent.has('begin')) return edit(visit, messageIn(sent))
  const found = await proposalIn(visit)
  if (found.proposal.state !== 'open') return { to: pathOf(found) }
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you last saw')
  const read = await sentForm(sent, mergedForm(found))
  const { form } = read
  const rules = sent.get('rules') ?? ''
  const message = { text: messageIn(sent, 'message'), error: undefined }
  const shown = { ...found, version, isLate: sent.has('late'), rules, message }
  const step = await stepOf(visit, read, async (input) => refuseInvalid(proposable(input), visit))
  if (step !== null) return editPage(visit, { ...shown, state: step })
  const { content } = contentOf(form)
  const chosen = chosenRules(found, rules)
  const { resolutionPolicy = form.rules } = chosen
  const renamed = rulesOf({ ...form, rules: resolutionPolicy })
  const input = { ...visit.params, ...proposable(content), ...chosen, ...renamed, ...saidIn(message.text) }
  const saved = await resultOrProblem(() => run(visit, acceptProposal, input, { expectedVersion: version }))
  if (!(saved instanceof Problem)) return accepted(saved)
  const isLate = saved.code === 'VERSION_CONFLICT'
  const state = { ...touched(form), checked: checkedForm(form, isLate ? null : saved) }
  const issue = saved.issues.find(({ path }) => path[0] === 'note')
  const refused = { ...message, error: issue && besideField(issue.reason) }
  const late = { isLate, version: isLate ? found.bundle.versionNumber : version }
  return editPage(visit, { ...shown, ...late, message: refused, state }, saved)
}

/** The chosen side, if both changed the rules. */
function chosenRules({ bundle, conflicts, proposedPolicy }: ProposalInFull, chosen: string) {
  if (!conflicts.some(({ field }) => field === 'rules')) return {}
  return { resolutionPolicy: (chosen === 'proposed' ? proposedPolicy : bundle.resolutionPolicy) ?? null }
}

type Editing = Omit<Parameters<typeof EditProposalPage>[0], 'site' | 'icons' | 'isPreviewHidden'>

async function editPage(visit: Visit, editing: Editing, problem?: Problem): Promise<Outcome> {
  const icons = await iconsFor(visit, contentOf(editing.state.form).content)
  const state = await withSeen(visit, editing.state, editing.bundle.slug)
  const props = { ...editing, state, site: visit.site, icons, isPreviewHidden: isPreviewHidden(visit.request) }
  const view = <EditProposalPage {...props} />
  return answerTo(state, { section: 'bundles', title: 'Edit and accept', view, problem })
}

function pathOf({ bundle, proposal }: ProposalInFull): string {
  return routes.bundle.proposal.href({ slug: bundle.slug, id: proposal.id })
}
