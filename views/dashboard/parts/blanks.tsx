/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { piecesOf } from '../../../src/core/template.js'
import { Each } from '../../parts/layout.tsx'

interface BlanksProps {
  text: string
  /** The names of the bundle’s variables. */
  names: readonly string[]
}

/** A text with highlighted placeholders. */
export function Blanks({ text, names }: BlanksProps): JSX.Element {
  return (
    <Each
      of={piecesOf(text, names)}
      show={(piece, at) =>
        at % 2 === 0 ? (
          escapeHtml(piece)
        ) : (
          <span class="blank" safe>
            {piece}
          </span>
        )
      }
    />
  )
}
