/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

/** One change of somebody else's that a form lacks, and can take over by itself. */
export interface Offer {
  /** What its button sends. */
  name: string
  /** `Title`, `Added`, … */
  kind: string
  /** What it is about: a text, or a link. */
  what: string
}

/** Changes of somebody else's, each with a button that puts it into the form. */
export function TakeTheirs({ offers }: { offers: readonly Offer[] }): JSX.Element {
  if (offers.length === 0) return ''
  return (
    <section class="offers" aria-labelledby="offers">
      <h2 id="offers">Take one by one</h2>
      <p class="hint">Each button puts one change of theirs into your form below. Nothing is saved by it.</p>
      <ul>
        {
          offers.map(({ name, kind, what }) => (
            <li>
              <span class="hint">{kind as 'safe'}</span>
              <bdi class="what" safe>
                {what.slice(0, LONGEST)}
              </bdi>
              <button
                type="submit"
                name="do"
                value={name}
                class="small"
                aria-label={attribute(`Take: ${kind}, ${what.slice(0, LONGEST)}`)}
              >
                Take
              </button>
            </li>
          )) as 'safe'[]
        }
      </ul>
    </section>
  )
}

/** As much of a text or an address as tells it from the others. */
const LONGEST = 120
