/** @jsxImportSource @kitajs/html */

import type { KeyInfo } from '../../../src/keys/shapes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'

/** Asks before a key is revoked. */
export function RevokeView({ apiKey: { id, name, keyPrefix, lastUsedAt } }: { apiKey: KeyInfo }): JSX.Element {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={`/dashboard/keys/${id}/revoke`}
      button="Revoke API key"
      back="/dashboard/keys"
    >
      <p>
        Anything that uses <code safe>{`${keyPrefix}…`}</code> stops working right away. You can’t undo this.
      </p>
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
