/** @jsxImportSource @kitajs/html */

import { attribute, type Site } from '../parts/layout.tsx'

interface ConfirmNoticeProps {
  user: Site['user']
  /** Where the link in the next email finally leads. */
  back: string
}

/** Reminds a signed-in visitor to confirm their address; empty once it is confirmed. */
export function ConfirmNotice({ user, back }: ConfirmNoticeProps): JSX.Element {
  if (user === null || user === undefined || user.emailVerified) return ''
  return (
    <div class="confirm cluster">
      <p>
        <strong>Check your inbox.</strong> Open the link we sent to <bdi safe>{user.email}</bdi> to confirm your
        address. Until then you can’t create API keys, invite people or accept invitations. The email can take a few
        minutes.
      </p>
      <ConfirmationForm back={back} />
    </div>
  )
}

/** Resends the email that confirms an address. @param back where its link finally leads. */
export function ConfirmationForm({ back }: { back: string }): JSX.Element {
  return (
    <form method="post" action="/dashboard/settings" class="actions">
      <input type="hidden" name="change" value="verification" />
      <input type="hidden" name="next" value={attribute(back)} />
      <button type="submit">Resend confirmation email</button>
    </form>
  )
}
