/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import type { ListedProposal } from '../../../src/proposals/stored.ts'
import { Icon } from '../../parts/icons.tsx'
import { Each } from '../../parts/layout.tsx'
import { roleOver } from '../../parts/visitor.ts'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Sample } from '../parts/lists.tsx'
import { type DashboardSite, Empty, Head } from '../parts/shell.tsx'
import { ProposalRow } from './proposal-row.tsx'

const MINUTE_MS = 60_000

/** A sample of the inbox, shown while it is empty. */
function SampleProposals({ site }: { site: DashboardSite }): JSX.Element {
  const proposal = (minutesAgo: number, more: Partial<ListedProposal>): ListedProposal => ({
    id: 'p_example',
    slug: 'launch-day',
    title: 'Launch day',
    baseVersion: 1,
    state: 'open',
    reason: null,
    proposedBy: null,
    proposer: null,
    keyName: null,
    createdAt: Date.now() - minutesAgo * MINUTE_MS,
    decidedBy: null,
    decidedAt: null,
    decider: null,
    note: null,
    versionNumber: null,
    repairs: null,
    ...more,
  })
  const rows = [
    proposal(4, {
      reason: 'Two links answer with an error. I found where they went.',
      proposedBy: site.user.userId,
      keyName: 'Claude on my laptop',
    }),
    proposal(90, {
      title: 'Your first week',
      reason: 'The handbook has moved.',
      proposedBy: 'someone',
      proposer: { name: 'Sam, a viewer', email: 'sam@example.com' },
    }),
  ]
  return (
    <Sample caption="An example of what you’ll see here">
      <ul class="rows">
        <Each of={rows} show={(row) => <ProposalRow site={site} proposal={row} of="all" />} />
      </ul>
    </Sample>
  )
}

interface ListProps {
  site: DashboardSite
  proposals: readonly ListedProposal[]
}

/** The open proposals for all bundles of the acting subject. */
export function InboxView({ site, proposals }: ListProps): JSX.Element {
  const lede = `Edits that wait for ${allowsRole(site.user.role, 'editor') ? 'your' : 'an editor’s'} review.`
  return (
    <>
      <Head title="Suggestions" {...(proposals.length === 0 ? {} : { lede })} />
      {proposals.length === 0 ? (
        <>
          <Empty
            heading="No suggestions to review"
            text="Agents and viewers can suggest edits without changing anything. What they suggest waits here until an editor accepts or rejects it."
          >
            <Ways site={site} />
          </Empty>
          <SampleProposals site={site} />
        </>
      ) : (
        <Rows site={site} proposals={proposals} of="all" />
      )}
      <p class="cluster">
        <a href={routes.bundles.list.href()}>Back to your bundles</a>
      </p>
    </>
  )
}

/** The proposals for a bundle: open ones, then decided ones. */
export function BundleProposalsView({ site, bundle, proposals }: ListProps & { bundle: StoredBundle }): JSX.Element {
  const open = proposals.filter(({ state }) => state === 'open')
  const decided = proposals.filter(({ state }) => state !== 'open')
  const isViewer = !allowsRole(roleOver(bundle, site.user), 'editor')
  return (
    <BundleFrame site={site} bundle={bundle} tab="proposals">
      {isViewer && (
        <p>
          <a class="button" href={routes.bundle.suggest.href({ slug: bundle.slug })}>
            <Icon name="edit" />
            Suggest an edit
          </a>
        </p>
      )}
      {open.length === 0 ? (
        <Empty
          heading="No open suggestions"
          text={
            isViewer
              ? 'Suggest an edit, and an editor of the organisation reviews the change before it is made.'
              : 'Agents and viewers can suggest edits of this bundle. You’ll review each change here before it is made.'
          }
        >
          {!isViewer && <Ways site={site} />}
        </Empty>
      ) : (
        <Rows site={site} proposals={open} of="bundle" />
      )}
      {decided.length > 0 && (
        <section class="decided stack">
          <h2>Decided</h2>
          <Rows site={site} proposals={decided} of="bundle" />
        </section>
      )}
    </BundleFrame>
  )
}

/** The ways in which proposals arise. */
function Ways({ site: { user } }: Pick<ListProps, 'site'>): JSX.Element {
  const members =
    user.acting === null
      ? routes.organizations.list.href()
      : routes.organizations.organization.href({ id: user.acting.id })
  return (
    <p class="actions">
      <a class="button" href={`${routes.keys.new.href()}?scope=links:propose`}>
        <Icon name="key" />
        Create a key that suggests
      </a>
      <a class="button" href={members}>
        <Icon name="people" />
        Invite viewers
      </a>
      <a class="quiet" href={routes.docs.guide.href({ guide: 'proposals' })} hx-boost="false">
        How suggestions work
      </a>
    </p>
  )
}

function Rows({ site, proposals, of }: ListProps & { of: 'bundle' | 'all' }): JSX.Element {
  return (
    <ul class="rows">
      <Each of={proposals} show={(proposal) => <ProposalRow site={site} proposal={proposal} of={of} />} />
    </ul>
  )
}
