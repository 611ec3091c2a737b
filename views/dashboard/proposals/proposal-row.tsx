/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import type { ListedProposal } from '../../../src/proposals/stored.ts'
import { attribute } from '../../parts/layout.tsx'
import { Monogram, personName } from '../../parts/tile.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

interface ProposalProps {
  site: DashboardSite
  proposal: ListedProposal
}

/** A proposal in a list; with `of="bundle"`, the list is for one bundle and omits its name. */
export function ProposalRow({ site, proposal, of }: ProposalProps & { of: 'bundle' | 'all' }): JSX.Element {
  const { id, slug, title, reason, createdAt, state } = proposal
  const name = of === 'all' ? (title ?? slug) : (reason ?? 'No reason given')
  return (
    <li class="row person">
      <Monogram text={proposerName({ site, proposal })} />
      <div class="what">
        <a class="name" href={routes.bundle.proposal.href({ slug, id })} dir="auto" safe>
          {name}
        </a>
        {state !== 'open' && <StateTag state={state} />}
        {of === 'all' && reason !== null && (
          <p dir="auto" safe>
            {reason}
          </p>
        )}
        <p class="hint">
          <ProposedBy site={site} proposal={proposal} />
          {', '}
          <RelativeTime at={createdAt} />
        </p>
      </div>
    </li>
  )
}

/** The name of a proposal's author; empty once their account is deleted. */
export function proposerName({ site: { user, name }, proposal }: ProposalProps): string {
  const { proposedBy, proposer, repairs } = proposal
  if (repairs !== null) return name
  return proposedBy === user.userId ? personName(user) : proposer === null ? '' : personName(proposer)
}

const STATES = {
  open: { word: 'open', kind: '' },
  accepted: { word: 'accepted', kind: 'good' },
  rejected: { word: 'rejected', kind: '' },
  withdrawn: { word: 'withdrawn', kind: '' },
} as const

/** The state of a proposal. */
export function StateTag({ state }: Pick<ListedProposal, 'state'>): JSX.Element {
  const { word, kind } = STATES[state]
  return <span class={['tag', kind]}>{word}</span>
}

/** The author of a proposal, and their key. */
export function ProposedBy({ site, proposal }: ProposalProps): JSX.Element {
  const { proposedBy, proposer, keyName, repairs } = proposal
  if (repairs !== null) return <bdi safe>{site.name}</bdi>
  return (
    <>
      {proposedBy === site.user.userId ? (
        'You'
      ) : proposer === null ? (
        'A deleted account'
      ) : (
        <bdi title={attribute(proposer.email)} safe>
          {personName(proposer)}
        </bdi>
      )}
      {keyName !== null && (
        <>
          {', with the key '}
          <bdi safe>{keyName}</bdi>
        </>
      )}
    </>
  )
}
