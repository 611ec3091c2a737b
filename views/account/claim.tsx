/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { count } from '../../src/core/words.ts'
import { headingOf } from '../launcher/launcher.tsx'
import { Each } from '../parts/each.tsx'
import { Alert } from '../parts/fields.tsx'
import { Page, type Site } from '../parts/layout.tsx'
import { NO_TABS, Stubs } from '../parts/stubs.tsx'
import { Tile } from '../parts/tile.tsx'
import { ConfirmNotice } from './confirm-notice.tsx'

/** A claimable bundle, as shown. */
interface Claimable {
  slug: string
  title: string | null
  urls: string[]
}

interface ClaimProps {
  site: Site
  bundle: Claimable
  /** Where the form posts to, and where sign-in returns to. */
  path: string
  hasSignUpPage: boolean
  error: string | undefined
}

export function ClaimPage({ site, bundle, path, hasSignUpPage, error }: ClaimProps): JSX.Element {
  const next = encodeURIComponent(path)
  const user = site.user ?? null
  return (
    <Page site={site} title={`Claim this bundle · ${site.name}`}>
      <section class="narrow">
        <h1>Claim this bundle</h1>
        <p class="lede">Add it to your account to edit it. Its link stays the same.</p>
        <Alert text={error} />
        <Contents bundle={bundle}>
          {user === null ? (
            <div class="send">
              {hasSignUpPage ? (
                <a class="button primary" href={`/sign-up?next=${next}`}>
                  Create account and claim
                </a>
              ) : (
                ''
              )}
              <a class={['button', hasSignUpPage ? '' : 'primary']} href={`/sign-in?next=${next}`}>
                Sign in and claim
              </a>
            </div>
          ) : (
            <form method="post" action={path} class="send">
              <button type="submit" class="primary">
                Claim bundle
              </button>
              <p class="hint" safe>
                {user.acting === null ? `It goes into your account, ${user.email}.` : `It goes to ${user.acting.name}.`}
              </p>
            </form>
          )}
        </Contents>
      </section>
    </Page>
  )
}

/** The page of a claim link that is expired, used or unknown; it does not reveal which. */
export function ClaimGonePage({ site, days }: { site: Site; days: number }): JSX.Element {
  const isSignedIn = (site.user ?? null) !== null
  return (
    <Page site={site} title={`This edit link no longer works · ${site.name}`}>
      <section class="narrow notice">
        <div class="door">
          <div class="strip">
            <Stubs urls={NO_TABS} />
          </div>
          <div class="sheet">
            <h1>This edit link no longer works</h1>
            <p class="lede" safe>
              {`It has already been used, or it has expired: edit links work once, for ${days === 1 ? 'a day' : `${days} days`}.`}
            </p>
            <p>
              {isSignedIn
                ? 'If you claimed the bundle, it’s in your dashboard.'
                : 'If you claimed the bundle, sign in to find it in your dashboard.'}
            </p>
            <p class="actions">
              <a class="button primary" href="/dashboard">
                {isSignedIn ? 'Go to your dashboard' : 'Sign in'}
              </a>
              <a class="button" href="/">
                New bundle
              </a>
            </p>
          </div>
        </div>
      </section>
    </Page>
  )
}

interface ClaimsProps {
  site: Site
  bundles: Claimable[]
  /** Which of them are shown. */
  paging: { limit: number; offset: number }
  error?: string | undefined
}

/** Unclaimed bundles created with the visitor's verified address. */
export function ClaimsPage({ site, bundles, paging, error }: ClaimsProps): JSX.Element {
  return (
    <Page site={site} title={`Bundles to claim · ${site.name}`}>
      <section class="narrow">
        <h1>Bundles to claim</h1>
        <p class="lede">
          {bundles.length === 0
            ? 'Nothing to claim right now. Do you have a private edit link? Open it to add its bundle to your account.'
            : 'These were created with your email address, without an account. Claim the ones that are yours to edit them.'}
        </p>
        <Alert text={error} />
        <Each
          of={bundles}
          show={(bundle) => (
            <Contents bundle={bundle}>
              <form method="post" action="/claims" class="send">
                <input type="hidden" name="slug" value={bundle.slug} />
                <button type="submit" class="primary">
                  Claim bundle
                </button>
              </form>
            </Contents>
          )}
        />
        <OtherClaims total={site.user?.claimable ?? 0} {...paging} />
        {bundles.length === 0 ? <ConfirmNotice user={site.user} back="/claims" /> : ''}
      </section>
    </Page>
  )
}

/** Links to the other pages of claims. */
function OtherClaims({ total, limit, offset }: ClaimsProps['paging'] & { total: number }): JSX.Element {
  const hasNewer = offset > 0
  const hasOlder = offset + limit < total
  if (!hasNewer && !hasOlder) return ''
  return (
    <nav class="send" aria-label="Pages">
      {hasNewer ? (
        <a class="button" rel="prev" href={`/claims?offset=${Math.max(0, offset - limit)}`}>
          Show newer bundles
        </a>
      ) : (
        ''
      )}
      {hasOlder ? (
        <a class="button" rel="next" href={`/claims?offset=${offset + limit}`}>
          Show older bundles
        </a>
      ) : (
        ''
      )}
    </nav>
  )
}

export function ClaimedPage({ site, bundle }: { site: Site; bundle: Claimable }): JSX.Element {
  const acting = site.user?.acting ?? null
  return (
    <Page site={site} title={`Bundle claimed · ${site.name}`}>
      <section class="narrow">
        <h1 safe>{acting === null ? 'This bundle is now yours' : `This bundle now belongs to ${acting.name}`}</h1>
        <p class="lede" dir="auto" safe>
          {headingOf(bundle)}
        </p>
        <div class="send">
          <a class="button primary" href={`/dashboard/links/${bundle.slug}`}>
            Edit bundle
          </a>
          <a class="button" href={`/l/${bundle.slug}`}>
            Open launcher
          </a>
          <a class="button" href="/dashboard">
            Go to your dashboard
          </a>
        </div>
        <ConfirmNotice user={site.user} back="/dashboard" />
      </section>
    </Page>
  )
}

/** A bundle as it was made, and below it what can be done; its tab says how many links it has. */
function Contents({ bundle, children }: PropsWithChildren<{ bundle: Claimable }>): JSX.Element {
  const { urls } = bundle
  return (
    <article class="door">
      <div class="strip">
        <span class="tab-name" safe>
          {count(urls.length, 'link')}
        </span>
        <Stubs urls={urls} />
      </div>
      <div class="sheet">
        <h2 dir="auto" safe>
          {headingOf(bundle)}
        </h2>
        <ul class="urls">
          <Each
            of={urls}
            show={(url) => (
              <li dir="ltr">
                <Tile url={url} />
                <span safe>{url}</span>
              </li>
            )}
          />
        </ul>
        {children}
      </div>
    </article>
  )
}
