/** @jsxImportSource @kitajs/html */

import type { Policy } from '../../../db/policy.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { count } from '../../../src/core/words.ts'
import { Confirm } from '../parts/confirm.tsx'

/** Asks for confirmation before all rules are removed. */
export function ClearView({ bundle }: { bundle: StoredBundle & { resolutionPolicy: Policy } }): JSX.Element {
  const { slug, resolutionPolicy, versionNumber, urls } = bundle
  const path = `/dashboard/links/${slug}/policy`
  return (
    <Confirm
      title="Clear all rules?"
      action={`${path}/clear`}
      button="Clear the rules"
      back={path}
      fields={<input type="hidden" name="version" value={String(versionNumber)} />}
    >
      <p safe>
        {`The ${count(resolutionPolicy.rules.length, 'rule')} of this bundle will be gone, and every viewer gets its own ${count(urls.length, 'tab')}.`}
      </p>
      <p safe>{`Version ${versionNumber} keeps the rules and can be restored.`}</p>
    </Confirm>
  )
}
