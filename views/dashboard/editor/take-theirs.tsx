/** @jsxImportSource @kitajs/html */

import { exactTime } from '../../../src/core/time.ts'
import { Each } from '../../parts/each.tsx'
import { ExactTime } from '../../parts/exact-time.tsx'
import { attribute } from '../../parts/layout.tsx'

/** One of somebody else's changes that can be applied to the form. */
export interface ConflictChoice {
  /** The value of its button. */
  name: string
  /** `Title`, `Added`, … */
  kind: string
  /** The changed text, link or time. */
  what: string
  isTime: boolean
}

/** Somebody else's changes, each with a button that applies it to the form. */
export function TakeTheirs({ choices }: { choices: readonly ConflictChoice[] }): JSX.Element {
  if (choices.length === 0) return ''
  return (
    <section class="offers" aria-labelledby="offers">
      <h2 id="offers">Take one by one</h2>
      <p class="hint">Each button copies one change into your form below. Nothing is saved until you save.</p>
      <ul>
        <Each
          of={choices}
          show={({ name, kind, what, isTime }) => (
            <li>
              <span class="hint" safe>
                {kind}
              </span>
              {isTime ? (
                <span class="what">
                  <ExactTime at={what} />
                </span>
              ) : (
                <bdi class="what" safe>
                  {what.slice(0, LONGEST)}
                </bdi>
              )}
              <button
                type="submit"
                name="do"
                value={name}
                class="small"
                aria-label={attribute(`Take: ${kind}, ${isTime ? exactTime(what) : what.slice(0, LONGEST)}`)}
              >
                Take
              </button>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

/** The beginning of a text or address, long enough to recognise it. */
const LONGEST = 120
