/** @jsxImportSource @kitajs/html */

import { Page, type Site } from '../parts/layout.tsx'

/** What the service stores about viewers and account holders, in short. */
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
