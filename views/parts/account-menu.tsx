/** @jsxImportSource @kitajs/html */

import type { OwnOrganization } from '../../src/identity/members.ts'

/** What it shows of who is signed in. */
interface User {
  email: string
  /** The organisation they act for; null if they act for themselves. */
  acting: Pick<OwnOrganization, 'name'> | null
  /** How many bundles they may claim without a token. */
  claimable: number
}

/** Who is signed in, and where that leads. */
export function AccountMenu({ user }: { user: User | null | undefined }): JSX.Element {
  if (user === undefined) {
    return (
      <nav class="who" aria-label="Account">
        <a class="button" href="/dashboard">
          Dashboard
        </a>
      </nav>
    )
  }
  if (user === null) {
    return (
      <nav class="who" aria-label="Account">
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </nav>
    )
  }
  const { email, acting, claimable } = user
  return (
    <nav class="who" aria-label="Account">
      {claimable === 0 ? '' : <a class="quiet" href="/claims" safe>{`Claim ${claimable}`}</a>}
      <span class="acting" safe>
        {acting === null ? email : `${email} · ${acting.name}`}
      </span>
      <a class="button" href="/dashboard">
        Dashboard
      </a>
      <form method="post" action="/sign-out">
        <button type="submit" class="quiet">
          Sign out
        </button>
      </form>
    </nav>
  )
}
