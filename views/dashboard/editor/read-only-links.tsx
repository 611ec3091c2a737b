/** @jsxImportSource @kitajs/html */

import type { UrlMetadata } from '../../../db/schema.ts'
import { marksOf } from '../../../src/bundles/link-fields.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { sectionsOf } from '../../../src/bundles/sections.ts'
import { isRightToLeft } from '../../launcher/direction.ts'
import { destination, hostText, withBraces } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Blanks } from '../parts/blanks.tsx'

/** By section, like the launcher, where links of no section are a list without a heading. */
export function ReadOnlyLinks({ bundle }: { bundle: StoredBundle }): JSX.Element {
  const names = bundle.variables.map(({ name }) => name)
  return (
    <Each
      of={sectionsOf(bundle)}
      show={({ name, urls, urlMetadata }) => {
        const links = urls.map((url, index) => <Link url={url} metadata={urlMetadata[index] ?? {}} names={names} />)
        const list = <ol class="rows shown">{links}</ol>
        if (name === '') return list
        return (
          <section class="titled">
            <h2 dir="auto">
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
}

function Link({ url, metadata, names }: LinkProps): JSX.Element {
  const { note = '', tags = [] } = metadata
  const to = destination(url)
  return (
    <li class="row">
      <div class="what" dir={isRightToLeft(note) ? 'rtl' : undefined}>
        <a class="address" href={attribute(to.href)} target="_blank" rel="noopener noreferrer" dir="ltr">
          <bdi safe>{hostText(to)}</bdi>
          <bdi class="hint">
            <Blanks text={withBraces(to.path, names)} names={names} />
          </bdi>
        </a>
        {note === '' ? (
          ''
        ) : (
          <p class="prose" dir="auto">
            <Blanks text={note} names={names} />
          </p>
        )}
        <p class="tags">
          <Each
            of={[...marksOf(metadata), ...tags]}
            show={(tag) => (
              <span class="tag" dir="auto" safe>
                {tag}
              </span>
            )}
          />
        </p>
      </div>
    </li>
  )
}
