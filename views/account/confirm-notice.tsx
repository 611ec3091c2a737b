/** @jsxImportSource @kitajs/html */

import { attribute, type Site } from '../parts/layout.tsx'

interface ConfirmNoticeProps {
  viewer: Site['viewer']
  /** Where the link in the next email leads in the end. */
  back: string
}

/** Reminds somebody who is signed in to confirm their address; nothing once it is confirmed. */
export function ConfirmNotice({ viewer, back }: ConfirmNoticeProps): JSX.Element {
  if (viewer === null || viewer === undefined || viewer.emailVerified) return ''
  return (
    <div class="confirm">
      <p>
        <strong>Check your inbox.</strong> Open the link we sent to <bdi safe>{viewer.email}</bdi> to confirm your
        address. Until then you can’t create API keys, invite people or accept invitations.
      </p>
      <ConfirmationForm back={back} />
    </div>
  )
}

/** Sends the email that confirms an address again. @param back where its link leads in the end. */
export function ConfirmationForm({ back }: { back: string }): JSX.Element {
  return (
    <form method="post" action="/dashboard/settings" class="actions">
      <input type="hidden" name="change" value="verification" />
      <input type="hidden" name="next" value={attribute(back)} />
      <button type="submit">Resend confirmation email</button>
    </form>
  )
}
