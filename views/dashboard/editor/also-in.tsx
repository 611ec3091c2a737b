/** @jsxImportSource @kitajs/html */

import type { SeenLink } from '../../../src/bundles/seen.ts'

/** In which other bundle a link stands; `sayWhere` in seen-links.js says it of those that are added. */
export function AlsoIn({ slug, called }: SeenLink): JSX.Element {
  return (
    <p class="hint seen">
      {'Also in '}
      <a href={`/dashboard/links/${slug}`} target="_blank" dir="auto" safe rel="noopener">
        {called}
      </a>
    </p>
  )
}
