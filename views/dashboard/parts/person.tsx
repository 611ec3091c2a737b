/** @jsxImportSource @kitajs/html */

import type { Viewer } from '../../parts/layout.tsx'

/** How a person is called: by their name, else their address. */
export function personName({ name, email }: Pick<Viewer, 'name' | 'email'>): string {
  return name.trim() || email
}

/** The first letter of a name, as a picture of it. */
export function Monogram({ text }: { text: string }): JSX.Element {
  return (
    <span class="monogram" aria-hidden="true" safe>
      {(/[^\p{C}\p{Z}]/u.exec(text)?.[0] ?? '?').toUpperCase()}
    </span>
  )
}
