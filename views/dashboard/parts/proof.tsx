/** @jsxImportSource @kitajs/html */

import { Html } from '@kitajs/html'
import { inSentence } from '../../../src/core/words.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type DashboardSite, Empty, Head } from './shell.tsx'

// Shown where an action needs more proof of identity than a session.

/** The address for signing in again, which leads back to a page. */
export function toSignIn(back: string): string {
  return `/sign-in?as=again&next=${encodeURIComponent(back)}`
}

interface ExportLinkProps {
  site: DashboardSite
  /** The organisation to export; omitted for the person's own data. */
  organizationId?: string
  label: string
  /** The page that the link is on. */
  back: string
  /** A link within a sentence, not a button. */
  isPlain?: true
}

/** The download of everything; requires a sign-in within the last day. */
export function ExportLink({ site, organizationId, label, back, isPlain }: ExportLinkProps): JSX.Element {
  const look = isPlain ? undefined : 'button'
  if (!site.user.hasRecentSignIn) {
    return (
      <a class={look} href={attribute(toSignIn(back))} hx-boost="false" safe>
        {`Sign in again to ${inSentence(label)}`}
      </a>
    )
  }
  const query = organizationId === undefined ? '' : `?organizationId=${encodeURIComponent(organizationId)}`
  return (
    <a class={look} href={attribute(`/api/me/export${query}`)} download="">
      {isPlain ? '' : <Icon name="download" />}
      {Html.escapeHtml(label)}
    </a>
  )
}

/** Why an action needs proof: the beginning of a sentence, and a whole one. */
interface WhyProof {
  unconfirmed: string
  old: string
}

/** Shown instead of a form that needs a confirmed address and a sign-in within the last day; null if both are given. */
export function missingProof(site: DashboardSite, title: string, back: string, why: WhyProof): JSX.Element | null {
  const { email, emailVerified } = site.user
  if (!emailVerified) {
    return (
      <>
        <Head title={title} />
        <Empty
          heading="Confirm your address first"
          text={`${why.unconfirmed}, so we need to know that ${email} is yours. Open the link we sent you, or use the button above to get another.`}
        />
      </>
    )
  }
  return oldSignIn(site, title, back, why.old)
}

/** Shown instead of a form that needs a sign-in within the last day; null if there was one. */
export function oldSignIn(site: DashboardSite, title: string, back: string, why: string): JSX.Element | null {
  if (site.user.hasRecentSignIn) return null
  return (
    <>
      <Head title={title} />
      <Empty heading="Sign in again first" text={why}>
        <p class="actions">
          <a class="button primary" href={attribute(toSignIn(back))} hx-boost="false">
            Sign in again
          </a>
        </p>
      </Empty>
    </>
  )
}
