/** @jsxImportSource @kitajs/html */

import { movedTo, withoutBroken } from '../../../src/checks/choices.ts'
import { count } from '../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole } from '../../../src/identity/roles.ts'
import { PROPOSAL_BOUNDS } from '../../../src/proposals/bounds.ts'
import type { ProposalInFull } from '../../../src/proposals/in-full.ts'
import type { ListedProposal } from '../../../src/proposals/stored.ts'
import { Each } from '../../parts/each.tsx'
import { Alert, TextArea } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Monogram, personName } from '../parts/person.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { roleOver } from '../parts/role.ts'
import type { DashboardSite } from '../parts/shell.tsx'
import { Conflicts } from './conflicts.tsx'
import { Decision } from './decision.tsx'
import { ProposalRow, ProposedBy, proposerName, StateTag } from './proposal-row.tsx'

interface ProposalPageProps extends ProposalInFull {
  site: DashboardSite
  /** `EffectDiff`, rendered before the page: with the conflicts, it would hold the event loop for too long. */
  changed: JSX.Element
  icons: SiteIcons
  /** Why what was pressed did not happen. */
  alert: string | null
  /** Others that wait to be decided, in all bundles of whom the visitor acts for. */
  others: readonly ListedProposal[]
  /** The note of a rejection that was refused. */
  note: { text: string; error: string | undefined }
}

/** A proposal: what it would change, and the buttons that decide it. */
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
              {isOpen ? '' : <StateTag state={state} />}
              <span class="by hint">
                <ProposedBy site={site} proposal={proposal} />
                {', '}
                <RelativeTime at={createdAt} />
              </span>
            </div>
          </div>
          {reason === null ? (
            ''
          ) : (
            <blockquote dir="auto" safe>
              {reason}
            </blockquote>
          )}
          {isOpen && proposal.baseVersion !== bundle.versionNumber ? (
            <p class="hint" safe>
              {`It was made for version ${proposal.baseVersion}; the bundle is at version ${bundle.versionNumber} now. This is what accepting it would change today:`}
            </p>
          ) : (
            ''
          )}
          {changed}
          {conflicts.length === 0 ? (
            ''
          ) : (
            <section class="conflict stack" aria-labelledby="conflicts-heading">
              <h2 id="conflicts-heading">Changed by a newer version too</h2>
              <p>Decide what to keep, then accept.</p>
              <Conflicts conflicts={conflicts} named={named} />
            </section>
          )}
          <p class="cluster hint">
            <a href={`/dashboard/links/${bundle.slug}/proposals`}>All suggestions for this bundle</a>
            <a href="/dashboard/proposals">All suggestions</a>
          </p>
        </section>
        <aside class="aside answer" aria-label="Answer">
          {isOpen ? <Actions {...props} /> : <Decision {...props} />}
          {isOpen ? <After {...props} /> : ''}
          <Next {...props} />
        </aside>
      </div>
    </BundleFrame>
  )
}

/** `Sam suggests 3 changes`, as it was made. */
function Heading({ site, proposal, difference }: ProposalPageProps): JSX.Element {
  const { proposedBy } = proposal
  const changes = Object.values(difference).reduce((sum, part) => sum + Object.keys(part).length, 0)
  const isOwn = proposedBy === site.user.userId
  const who = isOwn ? 'You suggest' : `${proposerName({ site, proposal }) || 'A deleted account'} suggests`
  return <bdi safe>{`${who} ${count(changes, 'change')}`}</bdi>
}

/** The tabs that accepting it leads to. */
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

/** What to look at after this one. */
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

/** The label of what is said to its rejection. */
function messageTo({ proposer, repairs }: ProposalPageProps['proposal']): string {
  if (repairs !== null) return 'Note'
  return `Message to ${proposer === null ? 'the author' : personName(proposer)}`
}

function Actions(props: ProposalPageProps): JSX.Element {
  const { site, bundle, proposal, difference, conflicts, note } = props
  const to = movedTo({ proposal, difference })
  const path = attribute(`/dashboard/links/${bundle.slug}/proposals/${proposal.id}`)
  const mayDecide = allowsRole(roleOver(bundle, site.user), 'editor')
  const mayWithdraw = proposal.proposedBy === site.user.userId
  return (
    <>
      <h2>{mayDecide ? 'Your answer' : 'Waiting for an editor'}</h2>
      <div class="actions">
        {mayDecide ? (
          <>
            {conflicts.length === 0 ? (
              <form method="post" action={`${path}/accept`}>
                <input type="hidden" name="version" value={String(bundle.versionNumber)} />
                {to === null ? '' : <input type="hidden" name="after" value="replace" />}
                <button type="submit" class="primary" title={`Saves it as version ${bundle.versionNumber + 1}`}>
                  <Icon name="check" />
                  Accept
                </button>
              </form>
            ) : (
              ''
            )}
            {withoutBroken(bundle, { proposal, difference }) === null ? (
              ''
            ) : (
              <form method="post" action={`${path}/accept`}>
                <input type="hidden" name="version" value={String(bundle.versionNumber)} />
                <button type="submit" name="instead" value="leave-out">
                  Leave the link out
                </button>
              </form>
            )}
            <a class={['button', conflicts.length > 0 && 'primary']} href={`${path}/edit`}>
              <Icon name="edit" />
              {conflicts.length === 0 ? 'Edit and accept' : 'Decide and accept'}
            </a>
          </>
        ) : (
          ''
        )}
        {mayWithdraw ? (
          <form method="post" action={`${path}/withdraw`}>
            <button type="submit" class="quiet">
              Withdraw
            </button>
          </form>
        ) : (
          ''
        )}
      </div>
      {mayDecide ? (
        <form class="reject stack" method="post" action={`${path}/reject`}>
          <TextArea
            id="note"
            label={messageTo(proposal)}
            note="optional"
            error={note.error}
            value={note.text}
            rows="2"
            dir="auto"
            maxlength={String(PROPOSAL_BOUNDS.text)}
          />
          <button type="submit" class="danger">
            Reject
          </button>
        </form>
      ) : (
        ''
      )}
    </>
  )
}
