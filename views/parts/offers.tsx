/** @jsxImportSource @kitajs/html */

import type { Offer } from '../../src/bundles/placeholders.ts'
import { Each } from './each.tsx'
import { attribute } from './layout.tsx'

/** What an offer asks, on its button. */
export function offerWords({ written, name }: Pick<Offer, 'written' | 'name'>): string {
  return written === `{${name}}` ? `Make ${written} a variable?` : `Make ${written} the variable {${name}}?`
}

/** A button for each thing in links that could become a variable. It sends the form that it stands in. */
export function Offers({ offers }: { offers: readonly Offer[] }): JSX.Element {
  return (
    <Each
      of={offers}
      show={(offer) => (
        <p class="offer">
          <button type="submit" name="do" value={attribute(`declare-${offer.written}`)} class="small" safe>
            {offerWords(offer)}
          </button>
        </p>
      )}
    />
  )
}
