/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../src/bundles/bounds.ts'
import type { Config } from '../../src/config/config.ts'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { Bands } from './bands.tsx'
import { Builder } from './builder.tsx'
import type { HomeForm } from './form.ts'
import { Magic } from './magic.tsx'

interface HomeProps {
  site: Site
  form: HomeForm
  /** Prevents a second bundle on a second press or a reload. */
  idempotencyKey: string
  /** Whether creating a bundle requires an account. */
  isGated: boolean
  /** Who may have links looked at. */
  inspect: Config['inspect']
}

interface GatedProps {
  site: Site
  /** Whether there is a sign-up page. */
  hasSignUpPage: boolean
  /** Where to continue then. */
  next: string
}

/** The home page for signed-out visitors if creating bundles requires an account. */
export function GatedHomePage({ site, hasSignUpPage, next }: GatedProps): JSX.Element {
  const query = new URLSearchParams({ next })
  return (
    <HomeFrame site={site}>
      <section class="card">
        <p>You need an account to create links here.</p>
        <div class="send">
          <a class="button primary" href={attribute(`/sign-in?${query}`)}>
            Sign in
          </a>
          {hasSignUpPage ? (
            <a class="button" href={attribute(`/sign-up?${query}`)}>
              Create an account
            </a>
          ) : (
            ''
          )}
        </div>
      </section>
    </HomeFrame>
  )
}

/** The home page: paste URLs, get a link. */
export function HomePage({ site, form, idempotencyKey, isGated, inspect }: HomeProps): JSX.Element {
  const later =
    site.user || isGated
      ? 'You can edit it from your dashboard.'
      : 'No account needed. You’ll also get a private link to edit it later.'
  const suggests = inspect === 'anyone' || (inspect === 'signed-in' && site.user != null)
  return (
    <HomeFrame site={site} script="home.js">
      <Builder form={form} idempotencyKey={idempotencyKey} suggests={suggests} later={later} />
    </HomeFrame>
  )
}

/** @param children what the page is for; beside it stands what the service does, and below it what it is. */
function HomeFrame({ site, script, children }: PropsWithChildren<{ site: Site; script?: string }>): JSX.Element {
  return (
    <Page
      site={site}
      title={`${site.name}: one link that opens many tabs`}
      description={`Paste up to ${BOUNDS.urls} links and share one. Anyone with the link opens every tab in one click. No trackers.`}
      kind="wide"
      script={script}
    >
      <div class="landing">
        <section class="hero">
          <h1>
            One link. <br />
            Every tab.
          </h1>
          <p class="lede">
            Paste up to {BOUNDS.urls} links and share one. Whoever has it opens all of them with a single press.
          </p>
        </section>
        {children}
        <Magic />
      </div>
      <Bands site={site} />
    </Page>
  )
}
