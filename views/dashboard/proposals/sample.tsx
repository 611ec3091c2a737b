/** @jsxImportSource @kitajs/html */

import type { ListedProposal } from '../../../src/proposals/stored.ts'
import { Sample } from '../parts/sample.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { ProposalRow } from './proposal-row.tsx'

const MINUTE_MS = 60_000

/** A sample of the inbox, shown while it is empty. */
export function SampleProposals({ site }: { site: DashboardSite }): JSX.Element {
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
      <ul class="rows">{rows.map((row) => <ProposalRow site={site} proposal={row} of="all" />) as 'safe'[]}</ul>
    </Sample>
  )
}
