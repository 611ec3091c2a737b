/** @jsxImportSource @kitajs/html */

import type { SignedInUser } from '../../parts/layout.tsx'
import { hueOf } from '../../parts/tile-of.js'

/** A person's display name: their name, otherwise their address. */
export function personName({ name, email }: Pick<SignedInUser, 'name' | 'email'>): string {
  return name.trim() || email
}

/** The first letter of a name, on a hue that is always the same for that name. */
export function Monogram({ text }: { text: string }): JSX.Element {
  return (
    <span class={['monogram', hueOf(text)]} aria-hidden="true" safe>
      {(/[^\p{C}\p{Z}]/u.exec(text)?.[0] ?? '?').toUpperCase()}
    </span>
  )
}
