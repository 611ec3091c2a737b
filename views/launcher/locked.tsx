/** @jsxImportSource @kitajs/html */

import { PasswordField } from '../parts/account-fields.tsx'
import { attribute, Page, type Site } from '../parts/layout.tsx'
import { REACH } from './launcher.tsx'

export interface PasswordForm {
  /** Where the viewer came from, for rules and counts: the form’s own request comes from this page. */
  referrer: string
  error: string | undefined
}

interface LockedProps {
  site: Site
  slug: string
  /** The path and query of the launcher. */
  address: string
  /** Missing if a password opens nothing. */
  form?: PasswordForm
  /** The address of someone who is signed in and not a member. */
  signedInAs?: string | undefined
}

/** Instead of a launcher that not everyone may see: nothing of its bundle. */
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
            {/* Password managers keep one for each link by it. */}
            <input type="text" name="username" value={slug} autocomplete="username" readonly hidden />
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
        {form === undefined ? (
          ''
        ) : (
          <p class="hint">
            <a href={`/sign-in?next=${encodeURIComponent(address)}`}>Sign in</a> if it’s yours, or{' '}
            <a href={`/l/${slug}/report`}>report this page</a>.
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
          <a class="button primary" href={`/sign-in?next=${next}`}>
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
        <a class="button" href={`/sign-in?as=other&amp;next=${next}`}>
          Switch accounts
        </a>
      </p>
    </>
  )
}
