/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../src/bundles/bounds.ts'
import type { Config } from '../../src/config/config.ts'
import { Icon } from '../parts/icons.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { Builder } from './builder.tsx'
import { Demo } from './demo.tsx'
import { Filled, Uses } from './examples.tsx'
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

/** What README and the guide to self-hosting say to type. */
const RUN = 'npx -y bun@1.4.5 install --frozen-lockfile && npx -y bun@1.4.5 run start'

/** What the service is, below the form: a launcher to press, what it is for, and how to run it. */
function Bands({ site }: { site: Site }): JSX.Element {
  return (
    <>
      <section class="band halves">
        <div>
          <h2>Go on, press it.</h2>
          <p class="lede">
            This one is real: four tabs about the sky above you. It is the whole page people get, with no cookies, no
            trackers and nothing to install.
          </p>
        </div>
        <Demo site={site} />
      </section>
      <section class="band">
        <h2>For everything that takes nine tabs</h2>
        <Uses />
      </section>
      <section class="band halves">
        <div>
          <h2>Leave a blank. Fill it when you need it.</h2>
          <p class="lede">
            Write <code class="blank">{'{customer}'}</code> where the number goes. Then{' '}
            <strong>/l/customer/4711</strong> opens everything about customer 4711, for everyone on the team.
          </p>
          <p class="lede">
            <a href="/docs/variables">How blanks are filled</a>
          </p>
        </div>
        <Filled site={site} />
      </section>
      <section class="band">
        <h2>Yours to run</h2>
        <p class="lede">Open source. One small server, one database file, one line in a copy of {source(site)}.</p>
        <p class="shell">
          <code>{RUN}</code>
          <button type="button" class="copy" data-text={attribute(RUN)}>
            <Icon name="copy" />
            <span class="label">Copy</span>
          </button>
        </p>
        <dl class="facts">
          <div>
            <dt>Private</dt>
            <dd>No cookies for readers, nothing loaded from third parties. Views are counted, people are not.</dd>
          </div>
          <div>
            <dt>Small</dt>
            <dd>A launcher of 25 links is 20 KB at most, style and script included, and works without JavaScript.</dd>
          </div>
          <div>
            <dt>For teams and scripts</dt>
            <dd>Every edit is a version you can restore. There is an API, a command line and an MCP server.</dd>
          </div>
        </dl>
      </section>
    </>
  )
}

function source({ sourceUrl }: Site): JSX.Element {
  return sourceUrl === undefined ? <>its source</> : <a href={attribute(sourceUrl)}>its source</a>
}
