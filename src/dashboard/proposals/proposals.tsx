/** @jsxImportSource @kitajs/html */

import type { BundleForm } from '../../../views/dashboard/editor/bundle-form.ts'
import { madeVersion, withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { EffectDiff } from '../../../views/dashboard/proposals/conflicts.tsx'
import { EditProposalPage } from '../../../views/dashboard/proposals/editing.tsx'
import { BundleProposalsView, InboxView } from '../../../views/dashboard/proposals/lists.tsx'
import { ProposalView } from '../../../views/dashboard/proposals/proposal.tsx'
import { getBundle } from '../../bundles/operations.ts'
import { withoutBroken } from '../../checks/choices.ts'
import { besideField } from '../../core/field-words.ts'
import { Problem } from '../../core/problem.ts'
import { yieldToEventLoop } from '../../core/yield-to-event-loop.ts'
import { versionIn } from '../../http/fields.ts'
import { signedIn } from '../../identity/caller.ts'
import type { ProposalInFull } from '../../proposals/in-full.ts'
import {
  acceptProposal,
  getProposal,
  listOpenProposals,
  listProposals,
  rejectProposal,
  withdrawProposal,
} from '../../proposals/operations.ts'
import { listOpen } from '../../proposals/stored.ts'
import { buttonOf, contentOf, formOf, pastedIn, readBundleForm } from '../editor/bundle-form.ts'
import { afterButton } from '../editor/buttons.ts'
import { checkedForm } from '../editor/checked-form.ts'
import { isPreviewHidden, refuseInvalid } from '../editor/preview.tsx'
import { check, touched, untouched } from '../editor/state.tsx'
import { rulesOf } from '../editor/variable-fields.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Outcome, Screen, ScreenPage } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { proposable } from './suggest.tsx'

const ONE = '/dashboard/links/:slug/proposals/:id'

/** The inbox, the proposals for a bundle, and what is done with one. */
export const proposalScreens: readonly Screen[] = [
  {
    path: '/dashboard/proposals',
    async get(visit) {
      const { proposals } = await run(visit, listOpenProposals, {})
      return { section: 'proposals', title: 'Suggestions', view: <InboxView site={visit.site} proposals={proposals} /> }
    },
  },
  {
    path: '/dashboard/links/:slug/proposals',
    async get(visit) {
      const { slug } = visit.params
      const bundle = await run(visit, getBundle, { slug })
      const { proposals } = await run(visit, listProposals, { slug, state: 'all' })
      const view = <BundleProposalsView site={visit.site} bundle={bundle} proposals={proposals} />
      return { section: 'bundles', title: 'Suggestions', view }
    },
  },
  { path: ONE, get: (visit) => proposalPage(visit) },
  { path: `${ONE}/accept`, post: accept },
  { path: `${ONE}/reject`, post: reject },
  {
    path: `${ONE}/withdraw`,
    async post(visit) {
      const closed = await resultOrProblem(() => run(visit, withdrawProposal, visit.params))
      if (closed instanceof Problem) return proposalPage(visit, { problem: closed })
      return { to: withFlash(`/dashboard/links/${visit.params.slug}/proposals`, 'withdrawn') }
    },
  },
  { path: `${ONE}/edit`, get: edit, post: acceptEdited },
  {
    path: `${ONE}/edit/check`,
    post: (visit, sent) => check(visit, sent, async (input) => refuseInvalid(proposable(input), visit)),
  },
]

async function read(visit: Visit): Promise<ProposalInFull> {
  const since = performance.now()
  const found = await run(visit, getProposal, visit.params)
  // Merging long bundles takes as long as rendering what it changes.
  await yieldToEventLoop(since)
  return found
}

interface Refused {
  problem?: Problem
  note?: string
}

async function proposalPage(visit: Visit, { problem, note = '' }: Refused = {}): Promise<ScreenPage> {
  const found = await read(visit)
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

/** So many others are named beside a proposal. */
const NEXT = 3

/** The newest open proposals for bundles of whom the visitor acts for. */
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
  const input = { ...visit.params, ...instead }
  const saved = await resultOrProblem(() => run(visit, acceptProposal, input, { expectedVersion }))
  if (saved instanceof Problem) return proposalPage(visit, { problem: saved })
  if (sent.get('after') !== 'replace') return accepted(saved)
  // Its page offers to replace the link in all other bundles.
  return {
    to: withFlash(`/dashboard/links/${saved.slug}/proposals/${visit.params.id}`, 'accepted', madeVersion(saved)),
  }
}

/** The links without a broken one, in place of its repair. */
async function leavingOut(visit: Visit) {
  const found = await read(visit)
  const links = withoutBroken(found.bundle, found)
  if (links === null) throw new Problem('BAD_REQUEST', 'This page is out of date. Reload it and try again.')
  return links
}

function accepted(saved: { slug: string; versionNumber: number }): Outcome {
  return { to: withFlash(`/dashboard/links/${saved.slug}`, 'accepted', madeVersion(saved)) }
}

async function reject(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const note = (sent.get('note') ?? '').replaceAll('\r\n', '\n')
  const said = note.trim() === '' ? {} : { note }
  const closed = await resultOrProblem(() => run(visit, rejectProposal, { ...visit.params, ...said }))
  if (closed instanceof Problem) return proposalPage(visit, { problem: closed, note })
  return { to: withFlash(`/dashboard/links/${visit.params.slug}/proposals`, 'rejected') }
}

/** The editor with the merged content; a proposal that is decided is only shown. */
async function edit(visit: Visit): Promise<Outcome> {
  const found = await read(visit)
  if (found.proposal.state !== 'open') return { to: pathOf(found) }
  const version = found.bundle.versionNumber
  return editPage(visit, { ...found, version, isLate: false, rules: '', state: untouched(mergedForm(found)) })
}

/** The form of the merged content; rules have their own page. */
function mergedForm({ bundle, changes }: ProposalInFull): BundleForm {
  const { resolutionPolicy: rules = bundle.resolutionPolicy, ...content } = changes
  return { ...formOf({ ...bundle, ...content }), rules }
}

async function acceptEdited(visit: Visit, sent: URLSearchParams): Promise<Outcome> {
  const found = await read(visit)
  if (found.proposal.state !== 'open') return { to: pathOf(found) }
  const version = versionIn(sent.get('version') ?? '')
  if (version === null) throw new Problem('BAD_REQUEST', 'version must be the one you last saw')
  const pasted = await pastedIn(sent)
  const form = readBundleForm(sent, mergedForm(found), pasted)
  const rules = sent.get('rules') ?? ''
  const pressed = afterButton(form, buttonOf(sent, pasted))
  const shown = { ...found, version, isLate: false, rules }
  if (pressed !== null) {
    const state = { ...touched(pressed.form), pasted, focus: pressed.focus }
    return editPage(visit, { ...shown, state })
  }
  const { content } = contentOf(form)
  const chosen = chosenRules(found, rules)
  const { resolutionPolicy = form.rules } = chosen
  const renamed = rulesOf({ ...form, rules: resolutionPolicy })
  const input = { ...visit.params, ...proposable(content), ...chosen, ...renamed }
  const saved = await resultOrProblem(() => run(visit, acceptProposal, input, { expectedVersion: version }))
  if (!(saved instanceof Problem)) return accepted(saved)
  const isLate = saved.code === 'VERSION_CONFLICT'
  const state = { ...touched(form), checked: checkedForm(form, isLate ? null : saved) }
  return editPage(visit, { ...shown, isLate, version: isLate ? found.bundle.versionNumber : version, state }, saved)
}

/** The side that was chosen for rules that both changed. */
function chosenRules({ bundle, conflicts, proposedPolicy }: ProposalInFull, chosen: string) {
  if (!conflicts.some(({ field }) => field === 'rules')) return {}
  return { resolutionPolicy: (chosen === 'proposed' ? proposedPolicy : bundle.resolutionPolicy) ?? null }
}

type Editing = Omit<Parameters<typeof EditProposalPage>[0], 'site' | 'icons' | 'isPreviewHidden'>

async function editPage(visit: Visit, editing: Editing, problem?: Problem): Promise<ScreenPage> {
  const icons = await iconsFor(visit, contentOf(editing.state.form).content)
  const props = { ...editing, site: visit.site, icons, isPreviewHidden: isPreviewHidden(visit.request) }
  const view = <EditProposalPage {...props} />
  return { section: 'bundles', title: 'Edit and accept', view, problem }
}

function pathOf({ bundle, proposal }: ProposalInFull): string {
  return `/dashboard/links/${bundle.slug}/proposals/${proposal.id}`
}
