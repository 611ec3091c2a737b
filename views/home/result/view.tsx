/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { BELOW_LAUNCHERS } from '../../../src/core/launcher-link.ts'
import { routes } from '../../../src/core/routes.ts'
import { exactTime } from '../../../src/core/time.ts'
import { count, joinList } from '../../../src/core/words.ts'
import type { FoundList } from '../../../src/imports/plan.ts'
import { PICTURE } from '../../launcher/parts/picture.ts'
import { Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each, Page, type Site } from '../../parts/layout.tsx'
import { LinkName, Renamed } from '../../parts/link-name.tsx'
import type { Nameable } from '../../parts/visitor.ts'

/** A new bundle, as its creator sees it. */
export interface ResultBundle {
  slug: string
  url: string
  heading: string
  /** The variables that viewers fill in; empty if this visitor may not see them. */
  variables: readonly Variable[]
  /** The address of the preview picture; null if this visitor may not see it. */
  picture: string | null
  /** Null if it cannot be claimed (any more). */
  claim: { url: string; expiresAt: string } | null
  /** Whether it belongs to an account. */
  isOwned: boolean
  /** Null if this visitor may not change its link. */
  naming: Nameable | null
}

interface ResultProps {
  site: Site
  bundles: readonly ResultBundle[]
  /** Counts of the lines that were skipped or changed. */
  left: FoundList['counts']
  /** The page's own path. */
  path: string
  /** From the address, which anyone can write: the slug before a change. */
  was: string | null
}

/** The page after bundles were created, with their links and the private links for editing. */
export function ResultPage({ site, bundles, left, path, was }: ResultProps): JSX.Element {
  const several = bundles.length > 1
  const ready = several ? `Your ${bundles.length} links are ready` : 'Your link is ready'
  const told = leftOut(left)
  return (
    <Page site={site} title={`${ready} · ${site.name}`} kind="result" script="result.js">
      <section class="hero">
        <h1 class="ready">
          <Icon name="check" />
          <span safe>{`${ready}.`}</span>
        </h1>
        {!several && <Heading bundle={bundles[0]} />}
        {told !== '' && (
          <p class="hint" safe>
            {told}
          </p>
        )}
      </section>
      <Each of={bundles} show={(bundle) => <Bundle {...{ site, bundle, several, path, was }} />} />
      <p>
        <a href={routes.paste.href()}>Make another</a>
      </p>
    </Page>
  )
}

/** A summary of the lines that were left out or changed; `''` for none. */
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

interface BundleProps extends Pick<ResultProps, 'site' | 'path' | 'was'> {
  bundle: ResultBundle
  several: boolean
}

function Bundle({ site, bundle, several, path, was }: BundleProps): JSX.Element {
  const { slug, url, heading, variables, picture, claim, isOwned, naming } = bundle
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
        {isOwned && (
          <a class="quiet" href={routes.bundle.edit.href({ slug })}>
            <Icon name="edit" />
            Edit
          </a>
        )}
      </div>
      {naming !== null && <Renamed bundle={naming.bundle} was={was} back={path} />}
      {naming !== null && !several && (
        <details class="naming">
          <summary>Change the end of the link</summary>
          <LinkName site={site} {...naming} back={path} />
        </details>
      )}
      {variables.length > 0 && <Fill slug={slug} url={url} before={before + own} variables={variables} />}
      {claim !== null && <Keep claim={claim} />}
      <div class="shows">
        {picture !== null && !several && (
          <figure>
            <figcaption>What people see when you send it</figcaption>
            <div class="message">
              Hi, everything is in here:{' '}
              <u dir="ltr">
                {escapeHtml(before)}
                {escapeHtml(own)}
              </u>
              <div class="unfurled">
                <img
                  class="picture"
                  src={picture}
                  alt={attribute(`The picture of ${heading}`)}
                  width={String(PICTURE.width)}
                  height={String(PICTURE.height)}
                />
                <b dir="auto" safe>
                  {heading}
                </b>
                <span dir="ltr" safe>
                  {before.split('/', 1)[0] ?? ''}
                </span>
              </div>
            </div>
          </figure>
        )}
        <figure>
          <figcaption>For a slide or a wall</figcaption>
          <img
            class="code"
            src={routes.launcher.qr.href({ slug })}
            alt={`QR code of ${url}`}
            width="148"
            height="148"
          />
          <p>
            <a href={routes.launcher.qr.href({ slug })} download={`${slug}.svg`}>
              Download the QR code
            </a>
          </p>
        </figure>
      </div>
    </section>
  )
}

interface FillProps {
  slug: string
  url: string
  /** The link without its scheme. */
  before: string
  variables: readonly Variable[]
}

/** The link with values, to try and to copy. Without a script, its button opens the filled launcher. */
function Fill({ slug, url, before, variables }: FillProps): JSX.Element {
  const labels = variables.map(labelOf)
  return (
    <form class="fill" method="get" action={url} data-own={BELOW_LAUNCHERS.join(' ')} aria-labelledby={`fill-${slug}`}>
      <h2 id={`fill-${slug}`}>Or send it filled in</h2>
      <p class="hint" safe>
        {`Whoever opens the link is asked for ${joinList(labels, 'and')}. If you know it, put it into the link.`}
      </p>
      <div class="line">
        <Each
          of={variables}
          show={({ name }, at) => (
            <Field id={`fill-${slug}-${name}`} label={labels[at] ?? name}>
              <input id={`fill-${slug}-${name}`} name={name} maxlength="200" autocomplete="off" spellcheck="false" />
            </Field>
          )}
        />
      </div>
      <div class="line">
        <p class="url" dir="ltr">
          <span safe>{before}</span>
          <b class="end blank" safe>{`/{${variables[0]?.name}}`}</b>
        </p>
        <button type="button" class="copy" data-text={attribute(url)}>
          <Icon name="copy" />
          <span class="label">Copy</span>
        </button>
        <button type="submit" class="quiet" formtarget="_blank">
          <Icon name="out" />
          Open
        </button>
      </div>
    </form>
  )
}

/** How to edit it later: a private link, to open now or to keep. */
function Keep({ claim }: { claim: NonNullable<ResultBundle['claim']> }): JSX.Element {
  const [day = ''] = exactTime(claim.expiresAt).split(',')
  return (
    <p class="keep">
      To edit it later, <a href={claim.url}>save it to an account</a>
      <span class="copy">
        {' or '}
        <button type="button" class="link" data-text={attribute(claim.url)}>
          <span class="label">keep your private link</span>
        </button>
      </span>
      , until{' '}
      <time datetime={claim.expiresAt} safe>
        {day}
      </time>
      . This page is gone tomorrow.
    </p>
  )
}
