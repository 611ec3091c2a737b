/** @jsxImportSource @kitajs/html */

import type { UrlMetadata } from '../../../db/schema.ts'
import { textsOf, wholeLink } from '../../../src/bundles/link-fields.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { sectionsOf } from '../../../src/bundles/sections.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { isRightToLeft } from '../../launcher/direction.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { Line } from './link-rows.tsx'

/** By section, like the launcher, where links of no section are a list without a heading. */
export function ReadOnlyLinks({ bundle, icons }: { bundle: StoredBundle; icons: SiteIcons }): JSX.Element {
  const names = bundle.variables.map(({ name }) => name)
  return (
    <Each
      of={sectionsOf(bundle)}
      show={({ name, urls, urlMetadata }) => {
        const links = urls.map((url, index) => (
          <Link url={url} metadata={urlMetadata[index] ?? {}} names={names} icons={icons} />
        ))
        const list = <ol class="links reading">{links}</ol>
        if (name === '') return list
        return (
          <section>
            <h2 class="group" dir="auto">
              <Blanks text={name} names={names} />
            </h2>
            {list}
          </section>
        )
      }}
    />
  )
}

interface LinkProps {
  url: string
  metadata: UrlMetadata
  /** The names of the bundle’s variables. */
  names: readonly string[]
  icons: SiteIcons
}

function Link({ url, metadata, names, icons }: LinkProps): JSX.Element {
  const fields = textsOf(wholeLink(url, metadata))
  const [, ...more] = fields.note.trim().split('\n')
  const to = destination(url)
  return (
    <li class="link-row" dir={isRightToLeft(fields.note) ? 'rtl' : undefined}>
      <a href={attribute(to.href)} target="_blank" rel="noopener noreferrer">
        <Line fields={fields} names={names} icons={icons} />
      </a>
      {to.unicode === null ? (
        ''
      ) : (
        <p class="hint" dir="ltr" safe>
          {hostText(to)}
        </p>
      )}
      {more.length === 0 ? (
        ''
      ) : (
        <p class="prose hint" dir="auto">
          <Blanks text={more.join('\n')} names={names} />
        </p>
      )}
    </li>
  )
}
