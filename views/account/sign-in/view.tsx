/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { ExactTime } from '../../parts/exact-time.tsx'
import { Alert, EmailField, NameField, PasswordField } from '../../parts/fields.tsx'
import { attribute, Each, Page, type Site } from '../../parts/layout.tsx'
import { type AccountProps, Door, OidcForm, SignInReason } from '../parts/sign-in.tsx'

export function SignUpPage({ site, form, methods, keeps }: AccountProps): JSX.Element {
  const { email, name, next, errors } = form
  return (
    <Page
      site={site}
      title={`Create account · ${site.name}`}
      description={`Create an account on ${site.name} to keep and edit your links.`}
      header="plain"
    >
      <section class="narrow">
        <Door
          title="Create account"
          beside={
            <a class="quiet" href={`${routes.account.signIn.href()}?next=${encodeURIComponent(next)}`}>
              Sign in
            </a>
          }
        >
          <SignInReason next={next} keeps={keeps} step="Sign up" />
          <Alert text={errors.form} />
          {methods.hasOidc && <OidcForm next={next} />}
          <form class="stack" method="post" action={routes.account.signUp.href()}>
            <EmailField email={email} error={errors.email} />
            <NameField note="optional" error={errors.name} value={name} autocomplete="name" />
            <PasswordField autocomplete="new-password" error={errors.password} hint="Use at least 8 characters." />
            <input type="hidden" name="next" value={attribute(next)} />
            <div class="send">
              <button type="submit" class="primary">
                Create account
              </button>
            </div>
          </form>
        </Door>
        <p class="hint">We’ll email you a link to confirm your address.</p>
      </section>
    </Page>
  )
}

/** The page after a sign-up that requires confirmation: the same whether or not the address was new. */
export function ConfirmPage({ site, email }: { site: Site; email: string }): JSX.Element {
  return (
    <Page site={site} title={`Check your email · ${site.name}`} header="plain">
      <section class="narrow">
        <Door title="Check your email">
          <p class="lede">
            We’re sending an email to <strong safe>{email}</strong>. Open the link in it to confirm your address, then
            sign in.
          </p>
          <p class="hint">It can take a few minutes. Can’t find it? Check your spam folder.</p>
          <p>
            <a class="button" href={routes.account.signIn.href()}>
              Sign in
            </a>
          </p>
        </Door>
      </section>
    </Page>
  )
}

interface MailboxProps {
  site: Site
  mails: readonly { to: string; subject: string; text: string; at: Date }[]
}

/** The development mailbox: the unsent emails, newest first. */
export function MailboxPage({ site, mails }: MailboxProps): JSX.Element {
  return (
    <Page site={site} title={`Mailbox · ${site.name}`}>
      <h1>Mailbox</h1>
      {mails.length === 0 && <p class="lede">No emails yet. Emails this server would send show up here.</p>}
      <Each
        of={mails}
        show={({ to, subject, text, at }) => (
          <article class="card mail">
            <h2 safe>{subject}</h2>
            <p class="hint">
              {escapeHtml(`to ${to} at `)}
              <ExactTime at={at.getTime()} />
            </p>
            <p class="text">
              <Each
                of={text.split(/(https?:\/\/\S+)/)}
                show={(part, index) =>
                  index % 2 === 1 ? (
                    <a href={attribute(part)} safe>
                      {part}
                    </a>
                  ) : (
                    escapeHtml(part)
                  )
                }
              />
            </p>
          </article>
        )}
      />
    </Page>
  )
}
