/** @jsxImportSource @kitajs/html */

import { Page, type Site } from '../parts/layout.tsx'

/** What a mailed link was for, where it works no longer. */
const LINKS = {
  signIn: {
    says: 'A sign-in link works once, for 15 minutes. Have another mailed to you on the sign-in page.',
    to: '/sign-in',
    label: 'Get another sign-in link',
  },
  confirm: {
    says: 'A confirmation link works for 24 hours. Sign in with an emailed link instead: that confirms your address too.',
    to: '/sign-in',
    label: 'Get a sign-in link',
  },
  password: {
    says: 'A link to set a password works once, for an hour. Sign in by a mailed link, and ask for another in your settings.',
    to: '/sign-in',
    label: 'Sign in by a mailed link',
  },
}

interface LinkExpiredProps {
  site: Site
  link: keyof typeof LINKS
  /** Where the link would have led. */
  next?: string
}

/** Behind a mailed link that works no longer. */
export function LinkExpiredPage({ site, link, next }: LinkExpiredProps): JSX.Element {
  const { says, to, label } = LINKS[link]
  return (
    <Page site={site} title={`This link has expired · ${site.name}`}>
      <section class="narrow">
        <h1>This link has expired</h1>
        <p class="lede">It has been used or is too old.</p>
        <p safe>{says}</p>
        <p>
          <a class="button primary" href={next === undefined ? to : `${to}?next=${encodeURIComponent(next)}`} safe>
            {label}
          </a>
        </p>
      </section>
    </Page>
  )
}
