/** @jsxImportSource @kitajs/html */

import type { ShownKey } from '../../../src/keys/shapes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { When } from '../parts/time.tsx'

/** Asks before a key is revoked. */
export function RevokeView({ apiKey: { id, name, keyPrefix, lastUsedAt } }: { apiKey: ShownKey }): JSX.Element {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={`/dashboard/keys/${id}/revoke`}
      button="Revoke the key"
      back="/dashboard/keys"
    >
      <p>
        Whatever uses <code safe>{`${keyPrefix}…`}</code> is refused from the next request on. This cannot be taken
        back.
      </p>
      <p>
        {lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <When at={Date.parse(lastUsedAt)} />.
          </>
        )}
      </p>
    </Confirm>
  )
}
