/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

interface TipProps {
  /** The name of what is explained. */
  of: string
  id: string
  text: string
}

/** A definition that shows while its button is hovered or has the focus. */
export function Tip({ of, id, text }: TipProps): JSX.Element {
  return (
    <span class="tip">
      <button type="button" aria-label={attribute(`About ${of}`)} aria-describedby={id}>
        ?
      </button>
      <span role="tooltip" id={id} safe>
        {text}
      </span>
    </span>
  )
}
