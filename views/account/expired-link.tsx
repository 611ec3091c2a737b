/** @jsxImportSource @kitajs/html */

import { attribute, Page, type SignedInUser, type Site } from '../parts/layout.tsx'
import { ConfirmationForm } from './confirm-notice.tsx'

/** The purpose of an emailed link that no longer works. */
const LINKS = {
  signIn: { text: 'Sign-in links work once, for 15 minutes.', another: 'Get a new sign-in link' },
  confirm: {
    text: 'Confirmation links work for 24 hours. Sign in and we can send you another.',
    another: 'Sign in',
  },
  password: {
    text: 'Password links work once, for an hour. Email yourself a sign-in link instead, then set a password in your settings.',
    another: 'Get a sign-in link',
  },
}

interface LinkExpiredProps {
  site: Site
  link: keyof typeof LINKS
  /** Where the link would have led. */
  next: string
}

/** The page of an emailed link that is expired, used or unknown, with a way to get another. */
export function LinkExpiredPage({ site, link, next }: LinkExpiredProps): JSX.Element {
  const user = site.user ?? null
  return (
    <Page site={site} title={`This link has expired · ${site.name}`}>
      <section class="narrow">
        <h1>This link has expired</h1>
        {user === null ? <SignedOut link={link} next={next} /> : <ResendLink user={user} link={link} next={next} />}
      </section>
    </Page>
  )
}

function SignedOut({ link, next }: Omit<LinkExpiredProps, 'site'>): JSX.Element {
  const { text, another } = LINKS[link]
  return (
    <>
      <p class="lede">It has already been used, or it’s too old.</p>
      <p safe>{text}</p>
      <p>
        <a class="button primary" href={`/sign-in?next=${encodeURIComponent(next)}`} safe>
          {another}
        </a>
      </p>
    </>
  )
}

/** For a signed-in visitor, who may not need another. */
function ResendLink({ user, link, next }: Omit<LinkExpiredProps, 'site'> & { user: SignedInUser }): JSX.Element {
  const { email, emailVerified } = user
  const isDone = link === 'signIn' || (link === 'confirm' && emailVerified)
  return (
    <>
      <p class="lede" safe>
        {link === 'signIn'
          ? `You’re already signed in as ${email}.`
          : isDone
            ? `${email} is already confirmed.`
            : `It has already been used, or it’s too old. We can send another to ${email}.`}
      </p>
      <div class="send">
        {isDone ? (
          <a class="button primary" href={attribute(next)}>
            Continue
          </a>
        ) : link === 'confirm' ? (
          <ConfirmationForm back={next} />
        ) : (
          <form method="post" action="/dashboard/settings">
            <input type="hidden" name="change" value="passwordMail" />
            <button type="submit" class="primary">
              Email me a new password link
            </button>
          </form>
        )}
      </div>
    </>
  )
}
