/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { BOUNDS } from '../../src/bundles/content/content.ts'
import type { Offer } from '../../src/bundles/variables/placeholders.ts'
import { attribute, Each } from './layout.tsx'

/** The treatment of names in braces in links. */
export interface NamesInLinks {
  /** They become variables. */
  declared: readonly string[]
  /** They stay text until somebody makes them variables. */
  plain: readonly string[]
  /** They stay text because a bundle has no room for more variables. */
  left: readonly string[]
}

/** The names in braces in an address. */
export const namesInBraces = (url: string) => Array.from(url.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

/** The names in braces in each address that occur in no address above it. */
export function newNamesIn(urls: readonly string[]): string[][] {
  const told = new Set<string>()
  return urls.map((url) => {
    const own = [...new Set(namesInBraces(url))].filter((name) => !told.has(name))
    for (const name of own) told.add(name)
    return own
  })
}

// The ends of sentences that begin with what a link says.
export const IS_FILLED = ' is filled in by whoever opens it.'
export const CAN_BE_FILLED = ' can be filled in by whoever opens it.'
export const STAYS = ` stays text: a link has at most ${BOUNDS.variables} variables.` as const
export const KEEP = 'Keep as text'

interface TellsProps {
  /** The names in braces to explain. */
  own: readonly string[]
  names: NamesInLinks
  /** The focused name, in braces; null for none. */
  focus: string | null
}

/** Explains the treatment of names in braces, each with a button that changes it and submits its form. */
export function Tells({ own, names: { declared, plain, left }, focus }: TellsProps): JSX.Element {
  return (
    <Each
      of={own.filter((name) => [...declared, ...plain, ...left].includes(name))}
      show={(name) => {
        const [says, button, changes] = declared.includes(name)
          ? [IS_FILLED, `plain-${name}`, KEEP]
          : plain.includes(name)
            ? [' stays text.', `declare-{${name}}`, 'Make it a variable']
            : [STAYS, null, '']
        return (
          <p class="hint said">
            <span>
              <code safe>{`{${name}}`}</code>
              {escapeHtml(says)}
            </span>
            {button !== null && (
              <>
                {' '}
                <button
                  type="submit"
                  name="do"
                  value={button}
                  class="small"
                  autofocus={focus === `{${name}}`}
                  aria-label={`${changes}: ${name}`}
                >
                  <span safe>{changes}</span>
                </button>
              </>
            )}
          </p>
        )
      }}
    />
  )
}

/** Offers the parts of links that could become variables, each with a button that submits its form. */
export function Offers({ offers }: { offers: readonly Offer[] }): JSX.Element {
  return (
    <Each
      of={offers}
      show={({ written, name }) => (
        <p class="hint said">
          <span>
            <code safe>{written}</code>
            {CAN_BE_FILLED}
          </span>{' '}
          <button type="submit" name="do" value={attribute(`declare-${written}`)} class="small" safe>
            {`Make it {${name}}`}
          </button>
        </p>
      )}
    />
  )
}
