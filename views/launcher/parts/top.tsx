/** @jsxImportSource @kitajs/html */

import { iconPath } from '../../../src/icons/site.ts'
import type { OrganizationLook } from '../../../src/launcher/served.ts'
import { tileOf } from '../../parts/hues.ts'
import { Each, type Site } from '../../parts/layout.tsx'
import { hueNamed } from '../../parts/tile.tsx'

interface TopProps {
  site: Pick<Site, 'name'>
  /** The organisation that owns it; null for none. */
  organization?: OrganizationLook | null
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
            <Sign organization={organization} />
            <span>
              by{' '}
              <b dir="auto" safe>
                {organization.name}
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

interface SignProps {
  organization: OrganizationLook
  /** A class for another size, and that size in pixels. */
  look?: string
  size?: number
}

/** The picture of an organisation, or the first letter of its name in its colour. */
export function Sign({ organization: { name, color, pictureId }, look, size = 24 }: SignProps): JSX.Element {
  if (pictureId !== null) {
    return <img class={['tile', look]} src={iconPath({ id: pictureId })} alt="" width={size} height={size} />
  }
  return (
    <span class={['tile', look, color === null ? 'plain' : hueNamed(color)]} aria-hidden="true" safe>
      {([...name.trim()][0] ?? '').toUpperCase()}
    </span>
  )
}
