/** @jsxImportSource @kitajs/html */

import type { Other } from '../../src/launcher/filling.ts'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'

/**
 * What else is in the address, which the form would lose. Only without a script: ours keeps it, and a field with any name could
 * stand in place of whatever a script reads of its form.
 */
export function Carried({ others }: { others: readonly Other[] }): JSX.Element {
  if (others.length === 0) return ''
  return (
    <noscript>
      <Each
        of={others}
        show={({ name, value }) => <input type="hidden" name={withinText(name)} value={withinText(value)} />}
      />
    </noscript>
  )
}

/** As an attribute where a browser with scripts reads a text, which a tag would end. */
function withinText(text: string): string {
  return attribute(text).replaceAll('<', '&lt;')
}
