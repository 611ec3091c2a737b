/** @jsxImportSource @kitajs/html */

import { exactTime } from '../../src/core/time.ts'
import { count, joinList } from '../../src/core/words.ts'
import type { FoundList } from '../../src/imports/plan.ts'
import { Each } from '../parts/each.tsx'
import { CopyField } from '../parts/fields.tsx'
import { Page, type Site } from '../parts/layout.tsx'

/** A created bundle, as shown to its creator. */
export interface ResultBundle {
  slug: string
  url: string
  heading: string
  /** Null if it cannot be claimed (any more). */
  claim: { url: string; expiresAt: string } | null
  /** Whether it belongs to an account. */
  isOwned: boolean
}

interface ResultProps {
  site: Site
  bundles: readonly ResultBundle[]
  /** Counts of the lines that were skipped or changed. */
  left: FoundList['counts']
}

/** The page after bundles were created: their links, and the private links to edit them. */
export function ResultPage({ site, bundles, left }: ResultProps): JSX.Element {
  const several = bundles.length > 1
  const ready = several ? `Your ${bundles.length} links are ready` : 'Your link is ready'
  const told = leftOut(left)
  return (
    <Page site={site} title={`${ready} · ${site.name}`}>
      <section class="hero">
        <h1 safe>{`${ready}.`}</h1>
        {several ? (
          ''
        ) : (
          <p class="lede" dir="auto" safe>
            {bundles[0]?.heading ?? ''}
          </p>
        )}
        {told === '' ? (
          ''
        ) : (
          <p class="hint" safe>
            {told}
          </p>
        )}
      </section>
      <Each
        of={bundles}
        show={(bundle, index) => <Bundle bundle={bundle} id={several ? `-${index + 1}` : ''} several={several} />}
      />
      <p>
        <a class="button" href="/">
          New bundle
        </a>
      </p>
    </Page>
  )
}

/** What of the pasted text is not in the links as it was; `''` for nothing. */
function leftOut({ skipped, changed, duplicates }: FoundList['counts']): string {
  const lines = skipped - duplicates
  const left = [
    ...(duplicates > 0 ? [count(duplicates, 'duplicate')] : []),
    ...(lines > 0 ? [`${count(lines, 'line')} without a link`] : []),
  ]
  const did = [
    ...(left.length > 0 ? [`left out ${joinList(left, 'and')}`] : []),
    ...(changed > 0 ? [`changed ${count(changed, 'line')}`] : []),
  ]
  return did.length === 0 ? '' : `We ${did.join(', and ')}.`
}

function Bundle({ bundle, id, several }: { bundle: ResultBundle; id: string; several: boolean }): JSX.Element {
  const { slug, url, heading, claim, isOwned } = bundle
  return (
    <>
      <section class="card">
        {several ? (
          <h2 dir="auto" safe>
            {heading}
          </h2>
        ) : (
          ''
        )}
        <CopyField id={`link${id}`} label="Share this link" value={url} title={heading} kind="primary" />
        <div class="with-qr cluster">
          <img src={`/l/${slug}/qr.svg`} alt={`QR code of ${url}`} width="148" height="148" />
          <div class="choices">
            <a class="button" href={url} target="_blank" rel="noopener noreferrer">
              Open the page
            </a>
            {isOwned ? (
              <a class="button" href={`/dashboard/links/${slug}`}>
                Edit
              </a>
            ) : (
              ''
            )}
            {claim === null ? (
              ''
            ) : (
              <a class="button" href={claim.url}>
                Sign in to edit
              </a>
            )}
            <a class="button" href={`/l/${slug}/qr.svg`} download={`${slug}.svg`}>
              Download the QR code
            </a>
          </div>
        </div>
      </section>
      {claim === null ? '' : <ClaimCard id={`claim${id}`} claim={claim} />}
    </>
  )
}

function ClaimCard({ id, claim }: { id: string; claim: NonNullable<ResultBundle['claim']> }): JSX.Element {
  const [day = ''] = exactTime(claim.expiresAt).split(',')
  return (
    <section class="card caution">
      <h2>Keep this to edit later</h2>
      <p>
        To edit this later, open your private link by{' '}
        <time datetime={claim.expiresAt} safe>
          {day}
        </time>
        . We can’t show it again after tomorrow.
      </p>
      <CopyField id={id} label="Your private edit link" value={claim.url} />
    </section>
  )
}
