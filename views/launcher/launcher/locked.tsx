/** @jsxImportSource @kitajs/html */
import { routes } from '../../../src/core/routes.ts'
import type { Outside } from '../../../src/launcher/access.ts'
import { ExactTime } from '../../parts/exact-time.tsx'
import { PasswordField, Username } from '../../parts/fields.tsx'
import { attribute, Document, Page, type Site } from '../../parts/layout.tsx'
import { REACH } from '../parts/launcher.tsx'
import { Top } from '../parts/top.tsx'

export interface PasswordForm {
  /** The viewer's referrer, for rules and counts: the form’s own request has this page as its referrer. */
  referrer: string
  error: string | undefined
}

interface LockedProps {
  site: Site
  slug: string
  /** The path and query of the launcher. */
  address: string
  /** Missing if no password grants access. */
  form?: PasswordForm
  /** The email address of a signed-in visitor who is not a member. */
  signedInAs?: string | undefined
}

/** A page in place of a launcher with restricted access. It reveals nothing about the bundle. */
export function LockedPage({ site, slug, address, form, signedInAs }: LockedProps): JSX.Element {
  const heading = form === undefined ? 'This page is for members' : 'This page has a password'
  return (
    <Page site={site} title={`${heading} · ${site.name}`} header="plain">
      <section class="narrow">
        <h1>{heading}</h1>
        {form === undefined ? (
          <SignInFirst address={address} signedInAs={signedInAs} />
        ) : (
          <form class="card" method="post" action={attribute(address)}>
            <Username name={slug} />
            <input type="hidden" name="referrer" value={attribute(form.referrer)} />
            <PasswordField autocomplete="current-password" error={form.error} autofocus />
            <div class="send">
              <button type="submit" class="primary">
                Open
              </button>
            </div>
          </form>
        )}
        <p class="hint">{REACH}</p>
        {form !== undefined && (
          <p class="hint">
            <a href={`${routes.account.signIn.href()}?next=${encodeURIComponent(address)}`}>Sign in</a> if it’s yours,
            or <a href={routes.launcher.report.href({ slug })}>report this page</a>.
          </p>
        )}
      </section>
    </Page>
  )
}

function SignInFirst({ address, signedInAs }: Pick<LockedProps, 'address' | 'signedInAs'>): JSX.Element {
  const next = encodeURIComponent(address)
  if (signedInAs === undefined) {
    return (
      <>
        <p class="lede">Sign in to see it. If you’re not a member yet, ask whoever sent you the link.</p>
        <p>
          <a class="button primary" href={`${routes.account.signIn.href()}?next=${next}`}>
            Sign in
          </a>
        </p>
      </>
    )
  }
  return (
    <>
      <p class="lede">
        You’re signed in as <strong safe>{signedInAs}</strong>, who isn’t a member. Ask whoever sent you the link.
      </p>
      <p>
        <a class="button" href={`${routes.account.signIn.href()}?as=other&amp;next=${next}`}>
          Switch accounts
        </a>
      </p>
    </>
  )
}

/** A page in place of a launcher that is not open. It reveals only the opening time or, after closing, the closing note. */
export function ClosedPage({ site, outside }: { site: Site; outside: Outside }): JSX.Element {
  const heading = outside.kind === 'before' ? 'This page isn’t open yet' : 'This page has closed'
  return (
    <Document title={`${heading} · ${site.name}`} styles="launcher.css" scripts={['countdown.js']} head={<NoIndex />}>
      <Top site={site} />
      <main>
        <h1>{heading}</h1>
        {outside.kind === 'before' ? (
          <p class="description" data-opens-in={String(outside.opensAt - Date.now())}>
            {'It opens on '}
            <ExactTime at={outside.opensAt} />
            {/* The script replaces this end of the sentence, which moves none of the text before it. */}
            <span id="away">.</span>
          </p>
        ) : outside.note === null ? (
          ''
        ) : (
          <p class="description" dir="auto" safe>
            {outside.note}
          </p>
        )}
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
        </footer>
      </main>
    </Document>
  )
}

function NoIndex(): JSX.Element {
  return <meta name="robots" content="noindex" />
}
