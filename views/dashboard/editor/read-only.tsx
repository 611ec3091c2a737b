/** @jsxImportSource @kitajs/html */

import type { Content } from '../../../db/schema.ts'
import { CONTENT } from '../../../src/bundles/content.ts'
import type { LinkHealth } from '../../../src/bundles/health.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { inWords } from '../../../src/bundles/values.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { ExactTime } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { HealthNotice } from '../parts/health-notice.tsx'
import type { DashboardSite } from '../parts/shell.tsx'
import { ReadOnlyLinks } from './read-only-links.tsx'

type PartProps = { bundle: StoredBundle }

/** How each field is shown, in this order; null if shown elsewhere. tsc asks for every field. */
const PARTS = {
  // The heading of every page of a bundle.
  title: null,
  // Above the links.
  description: null,
  opensAt: Times,
  // With the opening time.
  closesAt: null,
  closedNote: ClosedNote,
  access: Access,
  copyable: Copyable,
  // Seen on the launcher.
  icons: null,
  variables: Variables,
  // The other half of the page.
  urls: null,
  // With its URL.
  urlMetadata: null,
  // On the page of the rules.
  resolutionPolicy: null,
} satisfies Record<keyof Content, ((props: PartProps) => JSX.Element) | null>

interface ReadOnlyProps extends PartProps {
  site: DashboardSite
  health: readonly LinkHealth[] | undefined
  icons: SiteIcons
}

/** A bundle for members who cannot edit it. */
export function ReadOnlyPage({ site, bundle, health, icons }: ReadOnlyProps): JSX.Element {
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
      <HealthNotice health={health} />
      <div class="split">
        <section class="stack" aria-labelledby="links-heading">
          <h2 id="links-heading" safe>
            {count(bundle.urls.length, 'link')}
          </h2>
          <Description bundle={bundle} />
          <ReadOnlyLinks bundle={bundle} icons={icons} />
        </section>
        <aside class="aside stack" aria-label="About this bundle">
          <p class="hint">
            You’re a viewer here. Suggest an edit, and an editor of the organisation accepts or rejects it.
          </p>
          <p>
            <a class="button primary" href={`/dashboard/links/${bundle.slug}/suggest`}>
              <Icon name="edit" />
              Suggest an edit
            </a>
          </p>
          <Each of={Object.values(PARTS)} show={(Part) => (Part === null ? '' : <Part bundle={bundle} />)} />
          <Own bundle={bundle} />
        </aside>
      </div>
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

/** What is the owner’s alone, which members see. */
function Own({ bundle: { externalId, metadata } }: PartProps): JSX.Element {
  const entries = Object.entries(metadata ?? {})
  if (externalId === null && entries.length === 0) return ''
  const facts = [...(externalId === null ? [] : [['ID', externalId] as const]), ...entries]
  return (
    <section class="stack">
      <h2>ID and metadata</h2>
      <ul class="rows stack">
        <Each
          of={facts}
          show={([key, value]) => (
            <li>
              <span class="hint" dir="ltr" safe>
                {key}
              </span>{' '}
              <span dir="auto" safe>
                {value}
              </span>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

function Variables({ bundle: { variables } }: PartProps): JSX.Element {
  if (variables.length === 0) return ''
  return (
    <section class="stack">
      <h2>Variables</h2>
      <ul class="rows stack">
        <Each
          of={variables}
          show={(variable) => {
            const { name, label, example, options = [], default: value } = variable
            const facts = [
              ...(example === undefined ? [] : [`such as ${example}`]),
              ...(options.length === 0 ? [] : [`one of ${options.join(', ')}`]),
              ...(value === undefined ? [] : [`${value} where nobody fills it in`]),
            ]
            return (
              <li>
                <span class="blank" safe>
                  {name}
                </span>{' '}
                <span dir="auto" safe>
                  {label ?? ''}
                </span>{' '}
                <span class="hint" dir="auto" safe>
                  {facts.join('; ')}
                </span>
              </li>
            )
          }}
        />
      </ul>
    </section>
  )
}
