/** @jsxImportSource @kitajs/html */

import { headingOf } from '../launcher/launcher.tsx'
import { Alert } from '../parts/fields.tsx'
import { Page, type Site } from '../parts/layout.tsx'
import { ConfirmNotice } from './confirm-notice.tsx'

/** A claimable bundle, as shown. */
export interface Claimable {
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

/** The page of a claim link (decisions 4). */
export function ClaimPage({ site, bundle, path, hasSignUpPage, error }: ClaimProps): JSX.Element {
  const next = encodeURIComponent(path)
  const viewer = site.viewer ?? null
  return (
    <Page site={site} title={`Claim this bundle · ${site.name}`}>
      <section class="narrow">
        <h1>Claim this bundle</h1>
        <p class="lede">Add it to your account to edit it. Its link stays the same.</p>
        <Alert text={error} />
        <article class="card">
          <Contents bundle={bundle} />
          {viewer === null ? (
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
              <p class="hint" safe>{`It will belong to ${viewer.acting?.name ?? `you (${viewer.email})`}.`}</p>
            </form>
          )}
        </article>
      </section>
    </Page>
  )
}

/** The page of a claim link that is expired, used or unknown; it does not reveal which. */
export function ClaimGonePage({ site, days }: { site: Site; days: number }): JSX.Element {
  const isSignedIn = (site.viewer ?? null) !== null
  return (
    <Page site={site} title={`This claim link no longer works · ${site.name}`}>
      <section class="narrow">
        <h1>This claim link no longer works</h1>
        <p class="lede" safe>
          {`It has already been used, or it has expired: claim links work once, for ${days === 1 ? 'a day' : `${days} days`}.`}
        </p>
        <p>
          {isSignedIn
            ? 'If you claimed the bundle, it’s in your dashboard.'
            : 'If you claimed the bundle, sign in to find it in your dashboard.'}
        </p>
        <div class="send">
          <a class="button primary" href="/dashboard">
            {isSignedIn ? 'Go to your dashboard' : 'Sign in'}
          </a>
          <a class="button" href="/">
            Create a new bundle
          </a>
        </div>
      </section>
    </Page>
  )
}

interface ClaimsProps {
  site: Site
  bundles: Claimable[]
  error?: string | undefined
}

/** Unclaimed bundles created with the visitor's verified address. */
export function ClaimsPage({ site, bundles, error }: ClaimsProps): JSX.Element {
  return (
    <Page site={site} title={`Bundles to claim · ${site.name}`}>
      <section class="narrow">
        <h1>Bundles to claim</h1>
        <p class="lede">
          {bundles.length === 0
            ? 'Nothing to claim right now. Bundles you create without signing in show up here if you enter your email address, once it’s confirmed.'
            : 'You created these with your email address before signing in. Claim them to edit them.'}
        </p>
        <Alert text={error} />
        {
          bundles.map((bundle) => (
            <article class="card">
              <Contents bundle={bundle} />
              <form method="post" action="/claims" class="send">
                <input type="hidden" name="slug" value={bundle.slug} />
                <button type="submit" class="primary">
                  Claim bundle
                </button>
              </form>
            </article>
          )) as 'safe'[]
        }
        {bundles.length === 0 ? <ConfirmNotice viewer={site.viewer} back="/claims" /> : ''}
      </section>
    </Page>
  )
}

/** After a claim. */
export function ClaimedPage({ site, bundle }: { site: Site; bundle: Claimable }): JSX.Element {
  const acting = site.viewer?.acting ?? null
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
        <ConfirmNotice viewer={site.viewer} back="/dashboard" />
      </section>
    </Page>
  )
}

function Contents({ bundle }: { bundle: Claimable }): JSX.Element {
  return (
    <>
      <h2 dir="auto" safe>
        {headingOf(bundle)}
      </h2>
      <ul class="urls">
        {
          bundle.urls.map((url) => (
            <li dir="ltr" safe>
              {url}
            </li>
          )) as 'safe'[]
        }
      </ul>
    </>
  )
}
