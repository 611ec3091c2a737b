/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { exactTime } from '../../src/core/time.ts'
import { count, joinList } from '../../src/core/words.ts'
import type { FoundList } from '../../src/imports/plan.ts'
import { PICTURE } from '../launcher/picture.ts'
import { Each } from '../parts/each.tsx'
import { Icon } from '../parts/icons.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'

/** A created bundle, as shown to its creator. */
export interface ResultBundle {
  slug: string
  url: string
  heading: string
  /** The address of the picture that other sites show of it; null if this visitor may not see it. */
  picture: string | null
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
    <Page site={site} title={`${ready} · ${site.name}`} kind="result">
      <section class="hero">
        <h1 class="ready">
          <Icon name="check" />
          <span safe>{`${ready}.`}</span>
        </h1>
        {several ? '' : <Heading bundle={bundles[0]} />}
        {told === '' ? (
          ''
        ) : (
          <p class="hint" safe>
            {told}
          </p>
        )}
      </section>
      <Each of={bundles} show={(bundle) => <Bundle bundle={bundle} several={several} />} />
      <p>
        <a href="/">Make another</a>
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

function Heading({ bundle }: { bundle: ResultBundle | undefined }): JSX.Element {
  return (
    <p class="lede" dir="auto" safe>
      {bundle?.heading ?? ''}
    </p>
  )
}

function Bundle({ bundle, several }: { bundle: ResultBundle; several: boolean }): JSX.Element {
  const { slug, url, heading, picture, claim, isOwned } = bundle
  const [before = '', own = ''] = /^(.*\/)([^/]*)$/.exec(url.replace(/^https?:\/\//, ''))?.slice(1) ?? []
  return (
    <section class="made">
      {several ? (
        <h2 dir="auto" safe>
          {heading}
        </h2>
      ) : (
        ''
      )}
      <p class="url" dir="ltr">
        <a class="shared" href={url} target="_blank" rel="noopener noreferrer">
          <span safe>{before}</span>
          <b safe>{own}</b>
        </a>
      </p>
      <div class="actions">
        <button type="button" class="copy primary" data-text={attribute(url)}>
          <Icon name="copy" />
          <span class="label">Copy</span>
        </button>
        <button type="button" class="copy" data-share={attribute(url)} data-title={attribute(heading)} hidden>
          <Icon name="share" />
          Share
        </button>
        <a class="quiet" href={url} target="_blank" rel="noopener noreferrer">
          <Icon name="out" />
          Open the page
        </a>
        {isOwned ? (
          <a class="quiet" href={`/dashboard/links/${slug}`}>
            <Icon name="edit" />
            Edit
          </a>
        ) : (
          ''
        )}
      </div>
      {claim === null ? '' : <Keep claim={claim} />}
      <div class="shows">
        {picture === null || several ? (
          ''
        ) : (
          <figure>
            <figcaption>What people see when you send it</figcaption>
            <div class="message">
              Hi, everything is in here:{' '}
              <u dir="ltr">
                {escapeHtml(before)}
                {escapeHtml(own)}
              </u>
              <img
                class="picture"
                src={picture}
                alt={attribute(`The picture of ${heading}`)}
                width={String(PICTURE.width)}
                height={String(PICTURE.height)}
              />
            </div>
          </figure>
        )}
        <figure>
          <figcaption>For a slide or a wall</figcaption>
          <img class="code" src={`/l/${slug}/qr.svg`} alt={`QR code of ${url}`} width="148" height="148" />
          <p>
            <a href={`/l/${slug}/qr.svg`} download={`${slug}.svg`}>
              Download the QR code
            </a>
          </p>
        </figure>
      </div>
    </section>
  )
}

/** How to edit it later: the private link, to open now or to keep. */
function Keep({ claim }: { claim: NonNullable<ResultBundle['claim']> }): JSX.Element {
  const [day = ''] = exactTime(claim.expiresAt).split(',')
  return (
    <p class="keep">
      Keep editing: <a href={claim.url}>save to an account</a>
      <span class="copy">
        {' or '}
        <button type="button" class="link" data-text={attribute(claim.url)}>
          <span class="label">copy your private edit link</span>
        </button>
      </span>{' '}
      by{' '}
      <time datetime={claim.expiresAt} safe>
        {day}
      </time>
      . We can’t show it again after tomorrow.
    </p>
  )
}
