/** @jsxImportSource @kitajs/html */

import type { SignedInUser } from '../../parts/layout.tsx'

/** A person's display name: their name, otherwise their address. */
export function personName({ name, email }: Pick<SignedInUser, 'name' | 'email'>): string {
  return name.trim() || email
}

/** The first letter of a name, as an avatar. */
export function Monogram({ text }: { text: string }): JSX.Element {
  return (
    <span class="monogram" aria-hidden="true" safe>
      {(/[^\p{C}\p{Z}]/u.exec(text)?.[0] ?? '?').toUpperCase()}
    </span>
  )
}
