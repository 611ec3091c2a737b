/** @jsxImportSource @kitajs/html */

import { movedTo } from '../../../src/checks/choices.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { ProposalInFull } from '../../../src/proposals/in-full.ts'
import { attribute } from '../../parts/layout.tsx'
import { personName } from '../parts/person.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

type DecisionProps = Pick<ProposalInFull, 'bundle' | 'proposal' | 'difference'> & { site: DashboardSite }

/** What became of it, and why. */
export function Decision({ site, bundle, proposal, difference }: DecisionProps): JSX.Element {
  const { state, decidedBy, decidedAt, note, versionNumber, repairs } = proposal
  if (decidedAt === null) return ''
  const who = decidedBy === site.user.userId ? 'you' : deciderName({ site, proposal })
  const to = state === 'accepted' ? movedTo({ proposal, difference }) : null
  return (
    <>
      <p>
        <span safe>{`${asSentence(state)} by `}</span>
        <bdi safe>{who}</bdi>
        {', '}
        <RelativeTime at={decidedAt} />
        {versionNumber === null ? (
          '.'
        ) : (
          <>
            {', as '}
            <a href={`/dashboard/links/${bundle.slug}/versions?version=${versionNumber}`} safe>
              {`version ${versionNumber}`}
            </a>
            .
          </>
        )}
      </p>
      {note === null ? (
        ''
      ) : (
        <blockquote dir="auto" safe>
          {note}
        </blockquote>
      )}
      {to === null || repairs === null ? (
        ''
      ) : (
        <p>
          <a class="button" href={attribute(`/dashboard/replace?${new URLSearchParams({ from: repairs, to })}`)}>
            Replace it everywhere
          </a>
        </p>
      )}
    </>
  )
}

/** Who decided it; the service withdraws what has mended itself. */
function deciderName({ site, proposal: { decidedBy, decider, repairs } }: Pick<DecisionProps, 'site' | 'proposal'>) {
  if (decidedBy === null && repairs !== null) return site.name
  return decider === null ? 'a deleted account' : personName(decider)
}
