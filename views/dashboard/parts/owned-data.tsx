/** @jsxImportSource @kitajs/html */

import type { OwnedData } from '../../../src/accounts/owned-data.ts'
import { count } from '../../../src/core/words.ts'

/** What would be lost, as list items; zero counts are left out. `whose` follows “3 bundles”. */
export function OwnedDataItems({ bundles, keys, whose = '' }: OwnedData & { whose?: string }): JSX.Element {
  const lost = `${count(bundles, 'bundle')}${whose}, with all versions and insights. Their links stop working`
  return (
    <>
      {bundles === 0 ? '' : <li safe>{lost}</li>}
      {keys === 0 ? '' : <li safe>{count(keys, 'API key')}</li>}
    </>
  )
}
