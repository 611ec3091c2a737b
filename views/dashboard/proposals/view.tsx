/** @jsxImportSource @kitajs/html */

import { dropBroken, movedTo } from '../../../src/checks/choices.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import type { ProposalInFull } from '../../../src/proposals/present.ts'
import type { ListedProposal } from '../../../src/proposals/stored.ts'
import { Alert } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Monogram, personName, Tile } from '../../parts/tile.tsx'
import { roleOver } from '../../parts/visitor.ts'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { Conflicts } from './conflicts.tsx'
import { Message } from './message.tsx'
import { ProposalRow, ProposedBy, proposerName, StateTag } from './proposal-row.tsx'

interface ProposalPageProps extends ProposalInFull {
  site: DashboardSite
  /** `EffectDiff`, rendered before the page: together with the conflicts, it would block the event loop for too long. */
  changed: JSX.Element
  icons: SiteIcons
  /** Why an action failed. */
  alert: string | null
  /** Other open proposals for bundles of the acting subject. */
  others: readonly ListedProposal[]
  /** The message of a refused decision. */
  note: { text: string; error: string | undefined }
}

/** A proposal: its effects, and the buttons that decide it. */
export function ProposalView(props: ProposalPageProps): JSX.Element {
  const { site, bundle, proposal, changed, conflicts, named, alert } = props
  const { state, reason, createdAt } = proposal
  const isOpen = state === 'open'
  return (
    <BundleFrame site={site} bundle={bundle} tab="proposals">
      <Alert text={alert} />
      <div class="split">
        <section class="proposal" aria-labelledby="proposal-heading">
          <div class="from">
            <Monogram text={proposerName({ site, proposal })} />
            <div class="step cluster">
              <h2 id="proposal-heading">{isOpen ? <Heading {...props} /> : 'Decided suggestion'}</h2>
              {!isOpen && <StateTag state={state} />}
              <span class="by hint">
                <ProposedBy site={site} proposal={proposal} />
                {', '}
                <RelativeTime at={createdAt} />
              </span>
            </div>
          </div>
          {reason !== null && (
            <blockquote dir="auto" safe>
              {reason}
            </blockquote>
          )}
          {isOpen && proposal.baseVersion !== bundle.versionNumber && (
            <p class="hint" safe>
              {`It was made for version ${proposal.baseVersion}; the bundle is at version ${bundle.versionNumber} now. This is what accepting it would change today:`}
            </p>
          )}
          {changed}
          {conflicts.length > 0 && (
            <section class="conflict stack" aria-labelledby="conflicts-heading">
              <h2 id="conflicts-heading">Changed by a newer version too</h2>
              <p>Decide what to keep, then accept.</p>
              <Conflicts conflicts={conflicts} named={named} />
            </section>
          )}
          <p class="cluster hint">
            <a href={routes.bundle.proposals.href({ slug: bundle.slug })}>All suggestions for this bundle</a>
            <a href={routes.proposals.href()}>All suggestions</a>
          </p>
        </section>
        <aside class="aside answer" aria-label="Answer">
          {isOpen ? <Actions {...props} /> : <Decision {...props} />}
          {isOpen && <After {...props} />}
          <Next {...props} />
        </aside>
      </div>
    </BundleFrame>
  )
}

/** `Sam suggests 3 changes`, as originally proposed. */
function Heading({ site, proposal, difference }: ProposalPageProps): JSX.Element {
  const { proposedBy } = proposal
  const changes = Object.values(difference).reduce((sum, part) => sum + Object.keys(part).length, 0)
  const isOwn = proposedBy === site.user.userId
  const who = isOwn ? 'You suggest' : `${proposerName({ site, proposal }) || 'A deleted account'} suggests`
  return <bdi safe>{`${who} ${count(changes, 'change')}`}</bdi>
}

/** The tabs after accepting it. */
function After({ bundle, changes, icons }: ProposalPageProps): JSX.Element {
  const urls = changes.urls ?? bundle.urls
  const now = bundle.urls.length
  return (
    <div class="after">
      <p class="big" safe>
        {count(urls.length, 'tab')}
      </p>
      <p class="hint" safe>
        {urls.length === now ? 'if it’s accepted, as many as now' : `if it’s accepted; ${now} now`}
      </p>
      <p class="tab-tiles">
        <Each of={urls} show={(url) => <Tile url={url} icon={iconOf(url, icons)} />} />
      </p>
    </div>
  )
}

/** The next proposals to review. */
function Next({ site, others }: ProposalPageProps): JSX.Element {
  if (others.length === 0) return ''
  return (
    <section aria-labelledby="next-heading">
      <h2 class="group" id="next-heading">
        Next to review
      </h2>
      <ul class="rows">
        <Each of={others} show={(proposal) => <ProposalRow site={site} proposal={proposal} of="all" />} />
      </ul>
    </section>
  )
}

function Actions(props: ProposalPageProps): JSX.Element {
  const { site, bundle, proposal, difference, conflicts, note } = props
  const to = movedTo({ proposal, difference })
  const path = attribute(routes.bundle.proposal.href({ slug: bundle.slug, id: proposal.id }))
  const mayDecide = allowsRole(roleOver(bundle, site.user), 'editor')
  const mayWithdraw = proposal.proposedBy === site.user.userId
  return (
    <>
      <h2>{mayDecide ? 'Your answer' : 'Waiting for an editor'}</h2>
      {mayDecide && (
        <form class="decide stack" method="post" action={`${path}/${conflicts.length === 0 ? 'accept' : 'edit'}`}>
          <input type="hidden" name="version" value={String(bundle.versionNumber)} />
          <Message proposal={proposal} id="note" text={note.text} error={note.error} />
          <div class="actions">
            {conflicts.length === 0 && (
              <button
                type="submit"
                class="primary"
                title={`Saves it as version ${bundle.versionNumber + 1}`}
                {...(to === null ? {} : { name: 'after', value: 'replace' })}
              >
                <Icon name="check" />
                Accept
              </button>
            )}
            {dropBroken(bundle, { proposal, difference }) !== null && (
              <button type="submit" formaction={`${path}/accept`} name="instead" value="leave-out">
                Leave the link out
              </button>
            )}
            <button
              type="submit"
              class={conflicts.length > 0 ? 'primary' : undefined}
              formaction={`${path}/edit`}
              name="begin"
              value="yes"
            >
              <Icon name="edit" />
              {conflicts.length === 0 ? 'Edit and accept' : 'Decide and accept'}
            </button>
            <button type="submit" class="danger" formaction={`${path}/reject`}>
              Reject
            </button>
          </div>
        </form>
      )}
      {mayWithdraw && (
        <form method="post" action={`${path}/withdraw`}>
          <button type="submit" class="quiet">
            Withdraw
          </button>
        </form>
      )}
    </>
  )
}

type DecisionProps = Pick<ProposalInFull, 'bundle' | 'proposal' | 'difference'> & { site: DashboardSite }

/** The decision and its reason. */
function Decision({ site, bundle, proposal, difference }: DecisionProps): JSX.Element {
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
            <a href={`${routes.bundle.versions.href({ slug: bundle.slug })}?version=${versionNumber}`} safe>
              {`version ${versionNumber}`}
            </a>
            .
          </>
        )}
      </p>
      {note !== null && (
        <blockquote dir="auto" safe>
          {note}
        </blockquote>
      )}
      {to !== null && repairs !== null && (
        <p>
          <a
            class="button"
            href={attribute(`${routes.bundles.replace.href()}?${new URLSearchParams({ from: repairs, to })}`)}
          >
            Replace it everywhere
          </a>
        </p>
      )}
    </>
  )
}

/** Who decided it; the service itself withdraws repairs that are no longer needed. */
function deciderName({ site, proposal: { decidedBy, decider, repairs } }: Pick<DecisionProps, 'site' | 'proposal'>) {
  if (decidedBy === null && repairs !== null) return site.name
  return decider === null ? 'a deleted account' : personName(decider)
}
