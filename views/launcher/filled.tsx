/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Variable } from '../../db/schema.ts'
import { labelOf } from '../../src/bundles/variables.ts'
import { type Filling, piecesOf } from '../../src/core/template.js'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'

/** What stands in place of a bundle’s placeholders. */
export interface FilledProps {
  variables: readonly Pick<Variable, 'name' | 'label'>[]
  filling: Pick<Filling, 'values'>
}

interface TextProps extends FilledProps {
  text: string
  /** In an address, blanks are read out as they stand. */
  isAddress?: true
}

/**
 * A text with its values, and visible blanks where there are none. Both are marked with their variable, so that the script
 * fills them as somebody types.
 */
export function Filled({ text, variables, filling: { values }, isAddress }: TextProps): JSX.Element {
  const names = variables.map(({ name }) => name)
  return (
    <Each
      of={piecesOf(text, names)}
      show={(piece, at) => {
        if (at % 2 === 0) return escapeHtml(piece)
        const value = values[piece]
        if (value !== undefined) {
          return (
            <bdi class="value" data-variable={piece} safe>
              {value}
            </bdi>
          )
        }
        if (isAddress) {
          return (
            <bdi class="blank" data-variable={piece} safe>
              {`{${piece}}`}
            </bdi>
          )
        }
        const label = labelOf(variables.find(({ name }) => name === piece) ?? { name: piece })
        return (
          <bdi class="blank" data-variable={piece} role="img" aria-label={attribute(label)} safe>
            {`{${piece}}`}
          </bdi>
        )
      }}
    />
  )
}
