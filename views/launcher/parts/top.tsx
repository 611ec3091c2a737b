/** @jsxImportSource @kitajs/html */

import { tileOf } from '../../parts/hues.ts'
import { Each, type Site } from '../../parts/layout.tsx'

interface TopProps {
  site: Pick<Site, 'name'>
  /** The organisation that owns it; null for none. */
  organization?: string | null
  urls?: readonly string[]
}

/** The tab of the service that a launcher is in, and beside it a stub for each of its tabs, which shows whether that is open. */
export function Top({ site, organization = null, urls = [] }: TopProps): JSX.Element {
  return (
    <header>
      <div class="by">
        {organization === null ? (
          <>
            <span class="brand"></span>
            <b safe>{site.name}</b>
          </>
        ) : (
          <>
            <span class="tile" aria-hidden="true" safe>
              {([...organization][0] ?? '').toUpperCase()}
            </span>
            <span>
              by{' '}
              <b dir="auto" safe>
                {organization}
              </b>
            </span>
          </>
        )}
      </div>
      <div class="stubs" aria-hidden="true">
        <Each
          of={urls}
          show={(url) => {
            const { letter, hue } = tileOf(url)
            return (
              <i class={hue} safe>
                {letter}
              </i>
            )
          }}
        />
      </div>
    </header>
  )
}
