/** @jsxImportSource @kitajs/html */

import type { Content, UrlMetadata } from '../../../db/schema.ts'
import { CONTENT } from '../../../src/bundles/content.ts'
import { marksOf } from '../../../src/bundles/link-fields.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { sectionsOf } from '../../../src/bundles/sections.ts'
import { inWords } from '../../../src/bundles/values.ts'
import { labelOf } from '../../../src/bundles/variables.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { ExactTime } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

type PartProps = { bundle: StoredBundle }

/** How each field is shown, in this order; null if shown elsewhere. tsc asks for every field. */
const PARTS = {
  // The heading of every page of a bundle.
  title: null,
  description: Description,
  opensAt: Times,
  // With the opening time.
  closesAt: null,
  closedNote: ClosedNote,
  access: Access,
  copyable: Copyable,
  variables: Variables,
  urls: Links,
  // With its URL.
  urlMetadata: null,
  // On the page of the rules.
  resolutionPolicy: null,
} satisfies Record<keyof Content, ((props: PartProps) => JSX.Element) | null>

/** A bundle for members who cannot edit it. */
export function ReadOnlyPage({ site, bundle }: PartProps & { site: DashboardSite }): JSX.Element {
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
      <p class="hint">
        You’re a viewer here. Suggest an edit, and an editor of the organisation accepts or rejects it.
      </p>
      <p>
        <a class="button" href={`/dashboard/links/${bundle.slug}/suggest`}>
          <Icon name="edit" />
          Suggest an edit
        </a>
      </p>
      <Each of={Object.values(PARTS)} show={(Part) => (Part === null ? '' : <Part bundle={bundle} />)} />
    </BundleFrame>
  )
}

function Description({ bundle: { description } }: PartProps): JSX.Element {
  if (description === null) return ''
  return (
    <p class="prose" dir="auto" safe>
      {description}
    </p>
  )
}

function Times({ bundle: { opensAt, closesAt } }: PartProps): JSX.Element {
  if (opensAt === null && closesAt === null) return ''
  return (
    <p>
      {opensAt === null ? (
        ''
      ) : (
        <>
          {'Opens '}
          <ExactTime at={opensAt} />
          {'. '}
        </>
      )}
      {closesAt === null ? (
        ''
      ) : (
        <>
          {'Closes '}
          <ExactTime at={closesAt} />
          {'.'}
        </>
      )}
    </p>
  )
}

function ClosedNote({ bundle: { closedNote } }: PartProps): JSX.Element {
  if (closedNote === null) return ''
  return (
    <div>
      <p class="hint">Note after closing:</p>
      <p class="prose" dir="auto" safe>
        {closedNote}
      </p>
    </div>
  )
}

function Access({ bundle: { access } }: PartProps): JSX.Element {
  if (access === 'link') return ''
  return <p safe>{`${CONTENT.access.label}: ${inWords('access', access)}`}</p>
}

function Copyable({ bundle: { copyable } }: PartProps): JSX.Element {
  if (!copyable) return ''
  return <p safe>{`${CONTENT.copyable.says}.`}</p>
}

function Variables({ bundle: { variables } }: PartProps): JSX.Element {
  return (
    <Each
      of={variables}
      show={(variable) => (
        <p dir="auto" safe>
          {`{${variable.name}}: ${[labelOf(variable), ...(variable.options ?? [])].join(' · ')}`}
        </p>
      )}
    />
  )
}

/** By section, like the launcher, where links of no section are a list without a heading. */
function Links({ bundle }: PartProps): JSX.Element {
  return (
    <Each
      of={sectionsOf(bundle)}
      show={({ name, urls, urlMetadata }) => {
        const links = urls.map((url, index) => <Link url={url} metadata={urlMetadata[index] ?? {}} />)
        const list = <ol class="rows shown">{links}</ol>
        if (name === '') return list
        return (
          <section class="titled">
            <h2 dir="auto" safe>
              {name}
            </h2>
            {list}
          </section>
        )
      }}
    />
  )
}

function Link({ url, metadata }: { url: string; metadata: UrlMetadata }): JSX.Element {
  const { note = '', tags = [] } = metadata
  const to = destination(url)
  return (
    <li class="row">
      <div class="what">
        <a class="address" href={attribute(to.href)} target="_blank" rel="noopener noreferrer" dir="ltr">
          <bdi safe>{hostText(to)}</bdi>
          <bdi class="hint" safe>
            {to.path}
          </bdi>
        </a>
        {note === '' ? (
          ''
        ) : (
          <p class="prose" dir="auto" safe>
            {note}
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
