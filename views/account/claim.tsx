/** @jsxImportSource @kitajs/html */

import { headingOf } from '../launcher/launcher.tsx'
import { Page, type Site } from '../parts/layout.tsx'

/** What is shown of a bundle that may be claimed. */
export interface Claimable {
  slug: string
  title: string | null
  urls: string[]
}

interface ClaimProps {
  site: Site
  bundle: Claimable
  /** Where the form is sent and where sign-in comes back to. */
  path: string
  /** Whom the bundle will belong to, or null where nobody is signed in. */
  claimer: string | null
  error: string | undefined
}

/** The page of a claim link (decisions 4). */
export function ClaimPage({ site, bundle, path, claimer, error }: ClaimProps): JSX.Element {
  const next = encodeURIComponent(path)
  return (
    <Page site={site} title={`Claim a bundle · ${site.name}`}>
      <section class="narrow">
        <h1>Claim this bundle</h1>
        <p class="lede">It will be yours to edit, under the same link.</p>
        {error === undefined ? (
          ''
        ) : (
          <p class="alert" role="alert" safe>
            {error}
          </p>
        )}
        <article class="card">
          <Contents bundle={bundle} />
          {claimer === null ? (
            <div class="send">
              <a class="button primary" href={`/sign-up?next=${next}`}>
                Make an account and claim
              </a>
              <a class="button" href={`/sign-in?next=${next}`}>
                Sign in and claim
              </a>
            </div>
          ) : (
            <form method="post" action={path} class="send">
              <button type="submit" class="primary">
                Claim it
              </button>
              <p class="hint" safe>{`It will belong to ${claimer}.`}</p>
            </form>
          )}
        </article>
      </section>
    </Page>
  )
}

/** The unclaimed bundles that were made with the viewer's verified address. */
export function ClaimsPage({ site, bundles }: { site: Site; bundles: Claimable[] }): JSX.Element {
  return (
    <Page site={site} title={`Bundles to claim · ${site.name}`}>
      <section class="narrow">
        <h1>Bundles to claim</h1>
        <p class="lede">
          {bundles.length === 0
            ? 'There is none. Bundles made without an account, with your confirmed e-mail address, appear here.'
            : 'They were made without an account, with your e-mail address.'}
        </p>
        {
          bundles.map((bundle) => (
            <article class="card">
              <Contents bundle={bundle} />
              <form method="post" action="/claims" class="send">
                <input type="hidden" name="slug" value={bundle.slug} />
                <button type="submit" class="primary">
                  Claim it
                </button>
              </form>
            </article>
          )) as 'safe'[]
        }
      </section>
    </Page>
  )
}

/** After a claim. */
export function ClaimedPage({ site, bundle }: { site: Site; bundle: Claimable }): JSX.Element {
  return (
    <Page site={site} title={`Claimed · ${site.name}`}>
      <section class="narrow">
        <h1>It is yours</h1>
        <p class="lede" dir="auto" safe>
          {headingOf(bundle)}
        </p>
        <div class="send">
          <a class="button primary" href={`/l/${bundle.slug}`}>
            Open the launcher
          </a>
          <a class="button" href="/">
            Make another
          </a>
        </div>
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
