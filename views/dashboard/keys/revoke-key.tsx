/** @jsxImportSource @kitajs/html */

import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'

/** Asks before a key is revoked. */
export function RevokeView({ apiKey: { id, name, keyPrefix, lastUsedAt, app } }: { apiKey: KeyInfo }): JSX.Element {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={`/dashboard/keys/${id}/revoke`}
      button="Revoke API key"
      back="/dashboard/keys"
    >
      {app === undefined ? (
        <p>
          Anything that uses <code safe>{`${keyPrefix}…`}</code> stops working right away. You can’t undo this.
        </p>
      ) : (
        <p>The app is disconnected right away. To use it again, connect it again from the app.</p>
      )}
      <p>
        {lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <RelativeTime at={Date.parse(lastUsedAt)} />.
          </>
        )}
      </p>
    </Confirm>
  )
}
