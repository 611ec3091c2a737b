/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { headingOf } from '../../launcher/parts/launcher.tsx'
import { Alert } from '../../parts/fields.tsx'
import { ConfirmNotice, Each, Page, type Site } from '../../parts/layout.tsx'
import { LinkName, Renamed } from '../../parts/link-name.tsx'
import { NO_TABS, Stubs, Tile } from '../../parts/tile.tsx'
import type { Nameable } from '../../parts/visitor.ts'

/** A claimable bundle for display. */
interface Claimable {
  slug: string
  title: string | null
  urls: string[]
}

interface ClaimProps {
  site: Site
  bundle: Claimable
  /** The path to which the form posts and sign-in returns. */
  path: string
  hasSignUpPage: boolean
  error: string | undefined
}

export function ClaimPage({ site, bundle, path, hasSignUpPage, error }: ClaimProps): JSX.Element {
  const next = encodeURIComponent(path)
  const user = site.user ?? null
  return (
    <Page site={site} title={`Keep this bundle · ${site.name}`}>
      <section class="narrow">
        <h1>Keep this bundle</h1>
        <p class="lede">Add it to your account to edit it. Its link stays the same.</p>
        <Alert text={error} />
        <Contents bundle={bundle}>
          {user === null ? (
            <div class="send">
              {hasSignUpPage && (
                <a class="button primary" href={`${routes.account.signUp.href()}?next=${next}`}>
                  Create account and keep it
                </a>
              )}
              <a
                class={['button', hasSignUpPage ? '' : 'primary']}
                href={`${routes.account.signIn.href()}?next=${next}`}
              >
                Sign in and keep it
              </a>
            </div>
          ) : (
            <form method="post" action={path} class="send">
              <button type="submit" class="primary">
                Keep this bundle
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

/** The page of an expired, used or unknown claim link; it does not reveal which. */
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
                ? 'If you kept the bundle, it’s in your dashboard.'
                : 'If you kept the bundle, sign in to find it in your dashboard.'}
            </p>
            <p class="actions">
              <a class="button primary" href={routes.bundles.list.href()}>
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
  /** The displayed part of the list. */
  paging: { limit: number; offset: number }
  error?: string | undefined
}

/** Unclaimed bundles that were created with the visitor's verified address. */
export function ClaimsPage({ site, bundles, paging, error }: ClaimsProps): JSX.Element {
  return (
    <Page site={site} title={`Bundles to keep · ${site.name}`}>
      <section class="narrow">
        <h1>Bundles to keep</h1>
        <p class="lede">
          {bundles.length === 0
            ? 'None right now. If you have a private edit link, open it to add its bundle to your account.'
            : 'Somebody created these with your email address and without an account. Add yours to your account to edit them.'}
        </p>
        <Alert text={error} />
        <Each
          of={bundles}
          show={(bundle) => (
            <Contents bundle={bundle}>
              <form method="post" action={routes.account.claims.href()} class="send">
                <input type="hidden" name="slug" value={bundle.slug} />
                <button type="submit" class="primary">
                  Keep this bundle
                </button>
              </form>
            </Contents>
          )}
        />
        <OtherClaims total={site.claimable ?? 0} {...paging} />
        {bundles.length === 0 && <ConfirmNotice user={site.user} back={routes.account.claims.href()} />}
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
      {hasNewer && (
        <a class="button" rel="prev" href={`${routes.account.claims.href()}?offset=${Math.max(0, offset - limit)}`}>
          Show newer bundles
        </a>
      )}
      {hasOlder && (
        <a class="button" rel="next" href={`${routes.account.claims.href()}?offset=${offset + limit}`}>
          Show older bundles
        </a>
      )}
    </nav>
  )
}

interface ClaimedProps {
  site: Site
  bundle: Claimable
  /** Null if the visitor may not change its link. */
  naming: Nameable | null
  /** From the address, which anyone can write: its slug before a change. */
  was: string | null
}

export function ClaimedPage({ site, bundle, naming, was }: ClaimedProps): JSX.Element {
  const acting = site.user?.acting ?? null
  const link = linkOf(bundle.slug, site)
  const back = routes.account.claims.href()
  return (
    <Page site={site} title={`Bundle kept · ${site.name}`} script="link-name.js">
      <section class="narrow">
        <h1 safe>{acting === null ? 'This bundle is now yours' : `This bundle now belongs to ${acting.name}`}</h1>
        <p class="lede" dir="auto" safe>
          {headingOf(bundle)}
        </p>
        <p class="cluster kept-link">
          <bdi dir="ltr" safe>
            {link.replace(/^https?:\/\//, '')}
          </bdi>
          <button type="button" class="copy small" data-text={link}>
            <span class="label">Copy</span>
            <span class="visually-hidden"> link</span>
          </button>
        </p>
        {naming !== null && <Renamed bundle={naming.bundle} was={was} back={back} />}
        {naming !== null && (
          <details class="naming">
            <summary>Change the end of the link</summary>
            <LinkName site={site} {...naming} back={back} />
          </details>
        )}
        <div class="send">
          <a class="button primary" href={routes.bundle.edit.href({ slug: bundle.slug })}>
            Edit bundle
          </a>
          <a class="button" href={routes.launcher.page.href({ slug: bundle.slug })}>
            Open launcher
          </a>
          <a class="button" href={routes.bundles.list.href()}>
            Go to your dashboard
          </a>
        </div>
        <ConfirmNotice user={site.user} back={routes.bundles.list.href()} />
      </section>
    </Page>
  )
}

/** The content of a bundle, and below it the actions; its tab has the number of links. */
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
