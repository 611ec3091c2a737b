/** @jsxImportSource @kitajs/html */

import type { Holdings } from '../../../src/accounts/holdings.ts'
import { count } from '../../../src/core/words.ts'

/** What would be lost, as list items; zero counts are left out. `whose` follows “3 bundles”. */
export function HoldingsItems({ bundles, keys, whose = '' }: Holdings & { whose?: string }): JSX.Element {
  const lost = `${count(bundles, 'bundle')}${whose}, with all versions and insights. Their links stop working`
  return (
    <>
      {bundles === 0 ? '' : <li safe>{lost}</li>}
      {keys === 0 ? '' : <li safe>{count(keys, 'API key')}</li>}
    </>
  )
}
