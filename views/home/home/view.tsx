/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import type { Config } from '../../../src/config/config.ts'
import { routes } from '../../../src/core/routes.ts'
import { FREE } from '../../../src/launcher/filling.ts'
import { qrCode } from '../../../src/launcher/qr.ts'
import { bookmarksFile } from '../../launcher/parts/bookmarks.ts'
import { Launcher } from '../../launcher/parts/launcher.tsx'
import { Builder } from '../../parts/builder/builder.tsx'
import type { PasteForm } from '../../parts/builder/form.ts'
import { Icon, markDrawing } from '../../parts/icons.tsx'
import { attribute, Document, Each, Page, type Site } from '../../parts/layout.tsx'
import { Filled, Uses } from './examples.tsx'
import { Tries } from './tries.tsx'

interface HomeProps {
  site: Site
  form: PasteForm
  /** Prevents a second bundle after another press or a reload. */
  idempotencyKey: string
  /** Whether creating a bundle requires an account. */
  isGated: boolean
  /** Who may have links inspected. */
  inspect: Config['inspect']
  /** Its own address, to which the form posts. */
  address: string
}

interface GatedProps extends Pick<HomeProps, 'site'> {
  /** Whether there is a sign-up page. */
  hasSignUpPage: boolean
  /** The destination after signing in. */
  next: string
}

/** The home page for signed-out visitors, if creating bundles requires an account. */
export function GatedHomePage({ site, hasSignUpPage, next }: GatedProps): JSX.Element {
  const query = new URLSearchParams({ next })
  return (
    <HomeFrame site={site}>
      <section class="card">
        <p>You need an account to create links here.</p>
        <div class="send">
          <a class="button primary" href={attribute(`${routes.account.signIn.href()}?${query}`)}>
            Sign in
          </a>
          {hasSignUpPage && (
            <a class="button" href={attribute(`${routes.account.signUp.href()}?${query}`)}>
              Create an account
            </a>
          )}
        </div>
      </section>
    </HomeFrame>
  )
}

/** The home page: paste URLs, get a link. */
export function HomePage({ site, form, idempotencyKey, isGated, inspect, address }: HomeProps): JSX.Element {
  const later =
    site.user || isGated
      ? 'You can edit it from your dashboard.'
      : 'No account needed. You’ll also get a private link to edit it later.'
  return (
    <HomeFrame site={site} script="home.js">
      <Builder
        form={form}
        action={address}
        idempotencyKey={idempotencyKey}
        suggests={inspect === 'anyone' || (inspect === 'signed-in' && site.user != null)}
        later={later}
        tries={<Tries />}
      />
    </HomeFrame>
  )
}

/** @param children the main content; an illustration is beside it, and a description of the service below. */
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
        <div class="pitch">
          <section class="hero">
            <h1>
              One link. <br />
              Every tab.
            </h1>
            <p class="lede">
              Paste up to {BOUNDS.urls} links and share one. Whoever has it opens all of them with a single press.
            </p>
          </section>
          <Magic />
        </div>
        {children}
      </div>
      <Bands site={site} />
    </Page>
  )
}

/** The command from the README. */
const RUN = 'npx -y bun@1.4.5 install --frozen-lockfile --production && npx -y bun@1.4.5 run start'

/** A description of the service, below the form: a launcher to try, uses, and how to run it. */
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
            <a href={routes.docs.guide.href({ guide: 'variables' })}>How blanks are filled</a>
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
            <dd>
              A launcher of 25 ordinary links is at most 13 KB including style, script and icon, and works without
              JavaScript.
            </dd>
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

/** A page for a tab that must lose its opener before it opens a link (`away.js`). */
export function AwayPage({ site }: { site: Site }): JSX.Element {
  return (
    <Document
      title={`Opening · ${site.name}`}
      styles="launcher.css"
      scripts={['away.js']}
      head={<meta name="robots" content="noindex" />}
    >
      <main>
        <p class="description">If this tab stays empty, open the link on the page you come from.</p>
      </main>
    </Document>
  )
}

const LINKS = [
  ['https://science.nasa.gov/moon/', 'The moon, tonight'],
  ['https://spotthestation.nasa.gov/', 'When the space station passes'],
  ['https://stellarium-web.org/', 'A map of the stars'],
  ['https://www.windy.com/', 'Will there be clouds?'],
] as const

/** Without a slug, so that the script reports no presses. */
const BUNDLE = {
  slug: '',
  title: 'Tonight’s sky',
  description: 'Four tabs for the balcony.',
  urls: LINKS.map(([url]) => url),
  urlMetadata: LINKS.map(([, note]) => ({ note })),
  variables: [],
  organization: null,
  isUnclaimed: false,
  hasRules: false,
  isProtected: false,
  isCopyable: false,
  siteIcons: {},
  rule: null,
}

const BOOKMARKS = `data:text/html;charset=utf-8;base64,${Buffer.from(bookmarksFile(BUNDLE)).toString('base64')}`

/** The latest rendering: a process has one service, whose visitors all see the same. */
let drawn: { name: string; origin: string; html: string } | null = null

/** The page in the frame, for the `srcdoc` attribute. */
function pageOf({ name, origin, shortPaths }: Site): string {
  if (drawn?.name === name && drawn.origin === origin) return drawn.html
  const qr = qrCode(origin).replace('<svg ', `<svg role="img" aria-label="QR code of this service" `)
  const page = (
    <Document title={BUNDLE.title} styles="launcher.css" scripts={['launcher.js']} head={<base target="_top" />}>
      <Launcher
        site={{ name, origin, shortPaths }}
        bundle={BUNDLE}
        filling={FREE}
        unlocked={{ qr, bookmarks: BOOKMARKS }}
      />
    </Document>
  ) as string
  drawn = { name, origin, html: page.replaceAll('&', '&amp;') }
  return drawn.html
}

/**
 * A launcher to try, with its own styles and script, in a frame without an address, because no page may be framed by address. It
 * loads nothing from its sites, and loads only when it is scrolled to.
 */
function Demo({ site }: { site: Site }): JSX.Element {
  return <iframe class="demo" title="A launcher to press" loading="lazy" srcdoc={pageOf(site)}></iframe>
}

/** The fanned-out tabs: a letter, a word that phones omit, and a hue. */
const TABS = [
  ['W', 'Start', 3],
  ['H', 'Setup', 0],
  ['C', 'Team', 5],
  ['P', 'Who', 7],
  ['V', 'Tour', 4],
  ['G', 'Code', 2],
  ['F', 'Files', 1],
] as const

const FIRST = 108
const PITCH = 52

/** A picture of the service: one press on a link, and its tabs fan out. */
function Magic(): JSX.Element {
  return (
    <figure class="magic">
      <svg viewBox="0 0 480 264" role="img" aria-label="One link, pressed once: seven tabs fan out of it.">
        <rect x=".5" y=".5" width="479" height="263" rx="13.5" fill="var(--sheet)" />
        <path d="M.5 46v-32a13.5 13.5 0 0 1 13.5 -13.5h452a13.5 13.5 0 0 1 13.5 13.5v32z" fill="var(--sunk)" />
        <g fill="none" stroke="var(--line)">
          <path d="M.5 46h479" />
          <rect x=".5" y=".5" width="479" height="263" rx="13.5" />
          <path d="M62 46.5v-24a8 8 0 0 1 8 -8h24a8 8 0 0 1 8 8v24" fill="var(--sheet)" />
          <path d="M62.5 46.5h39" stroke="var(--sheet)" />
        </g>
        <Mark x={74} y={22} size={16} />
        <g fill="var(--line-strong)" opacity=".45">
          <circle cx="22" cy="23" r="4" />
          <circle cx="36" cy="23" r="4" />
          <circle cx="50" cy="23" r="4" />
        </g>
        <g class="threads" fill="none" stroke-width="1.5">
          <Each
            of={TABS}
            show={([, , hue], at) => {
              const from = 216 + at * 8
              const to = FIRST + at * PITCH + 25
              return <path pathLength="1" stroke={`var(--h${hue}i)`} d={`M${from} 174C${from} 92 ${to} 122 ${to} 47`} />
            }}
          />
        </g>
        <g class="fan">
          <Each
            of={TABS}
            show={([letter, word, hue], at) => (
              <g>
                <svg x={FIRST + at * PITCH} y="16" width="50" height="30" aria-hidden="true" fill={`var(--h${hue}i)`}>
                  <path d="M0 30v-22a8 8 0 0 1 8 -8h34a8 8 0 0 1 8 8v22z" fill={`var(--h${hue})`} />
                  <text x="25" y="19.5" font-size="9.5" font-weight="700" text-anchor="middle">
                    {letter}
                    <tspan class="word" dx="2.5" font-weight="550">
                      {word}
                    </tspan>
                  </text>
                </svg>
              </g>
            )}
          />
        </g>
        <rect x="68" y="174" width="344" height="60" rx="12" fill="var(--paper)" stroke="var(--line-strong)" />
        <Mark x={82} y={190} size={28} />
        <text x="122" y="200" font-size="13" font-weight="600" fill="var(--ink)">
          First week at Northwind
        </text>
        <text x="122" y="217" font-size="11" font-family="var(--mono)" fill="var(--ink-3)">
          /l/first-week
        </text>
        <g class="press">
          <rect x="314" y="187" width="84" height="34" rx="8" fill="var(--go)" />
          <text x="356" y="208.5" font-size="13" font-weight="600" text-anchor="middle" fill="var(--go-ink)">
            Open all
          </text>
        </g>
        <path
          class="hand"
          d="M386 212l14 8.2-6.3 1.5 3.6 6.6-2.9 1.5-3.5-6.7-4.9 4.4z"
          fill="var(--ink)"
          stroke="var(--paper)"
          stroke-width="1.5"
          stroke-linejoin="round"
        />
      </svg>
      <figcaption>
        <strong>It opens every tab. Really.</strong> And if the browser holds some back, the page walks you through the
        rest, one press each.
      </figcaption>
    </figure>
  )
}

/** The icon of the service. */
function Mark({ x, y, size }: { x: number; y: number; size: number }): JSX.Element {
  return (
    <svg x={x} y={y} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <MarkDrawing />
    </svg>
  )
}

function MarkDrawing(): JSX.Element {
  return markDrawing()
}

/** A short description of the stored data about viewers and account holders. */
export function PrivacyPage({ site }: { site: Site }): JSX.Element {
  return (
    <Page
      site={site}
      title={`Privacy · ${site.name}`}
      description={`What ${site.name} counts, what it stores, and what it never learns about you.`}
    >
      <section class="narrow prose">
        <h1>Privacy</h1>
        <p class="lede">No cookies for viewers, no trackers, nothing loaded from third parties.</p>
        <h2>When you open a link</h2>
        <ul>
          <li>The page sets no cookie and stores nothing in your browser.</li>
          <li>
            We count how often it was opened and how often <strong>Open all</strong> was clicked, as totals per day.
          </li>
          <li>
            To count visitors once a day, we compute a code from your IP address, your browser’s name and a random
            number. The code and the number are deleted after the day; only the count remains.
          </li>
          <li>We don’t know which tabs you opened, and the sites behind them aren’t told where you came from.</li>
        </ul>
        <h2>When you create a link</h2>
        <ul>
          <li>We store the links and texts you enter. Anyone who has the link can see them.</li>
          <li>
            Without an account, we keep a code made from your IP address for up to 30 days to limit abuse. An email
            address that you give for the private edit link is deleted once the bundle is claimed or the link expires.
          </li>
          <li>
            What you delete is erased: an account at once, a bundle once it can no longer be restored. A link that
            nobody claimed is erased after a year without a visitor. Only a code made from its address is kept, so that
            nobody else can take it over.
          </li>
          <li>
            With an account, we store your name, your email address and when you signed in, and set a cookie to keep you
            signed in. Your browser remembers how you sort your list in another, which identifies nobody. You can export
            everything or delete your account in Settings.
          </li>
        </ul>
      </section>
    </Page>
  )
}
