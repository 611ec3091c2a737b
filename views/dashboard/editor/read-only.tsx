/** @jsxImportSource @kitajs/html */
import type { Content, UrlMetadata } from '../../../db/schema.ts'
import { CAN_COPY, CONTENT, inWords } from '../../../src/bundles/content/content.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { aliasesIn } from '../../../src/bundles/edit/unversioned.ts'
import { sectionsOf, textsOf, wholeLink } from '../../../src/bundles/links/link-fields.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { directionOf } from '../../launcher/parts/picture.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Emphasis } from '../../parts/emphasis.tsx'
import { ExactTime } from '../../parts/exact-time.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { Line } from '../parts/bundle-form/link-rows.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

type PartProps = { bundle: StoredBundle }

/** The display of each field, in this order; null if it is shown elsewhere. The type requires every field. */
const PARTS = {
  // In the heading of every page of a bundle.
  title: null,
  // Above the links.
  description: null,
  opensAt: Times,
  // With the opening time.
  closesAt: null,
  closedNote: ClosedNote,
  access: Access,
  copyable: Copyable,
  // Visible on the launcher.
  icons: null,
  listed: Listed,
  variables: Variables,
  // In the other half of the page.
  urls: null,
  // With its URL.
  urlMetadata: null,
  // On the page of rules.
  resolutionPolicy: null,
} satisfies Record<keyof Content, ((props: PartProps) => JSX.Element) | null>

interface ReadOnlyProps extends PartProps {
  site: DashboardSite
  icons: SiteIcons
}

/** A bundle for members who cannot edit it. */
export function ReadOnlyPage({ site, bundle, icons }: ReadOnlyProps): JSX.Element {
  return (
    <BundleFrame site={site} bundle={bundle} tab="edit">
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
            <a class="button primary" href={routes.bundle.suggest.href({ slug: bundle.slug })}>
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
    <p class="prose">
      <span dir="auto">
        <Emphasis text={description} />
      </span>
    </p>
  )
}

function Times({ bundle: { opensAt, closesAt } }: PartProps): JSX.Element {
  if (opensAt === null && closesAt === null) return ''
  return (
    <p>
      {opensAt !== null && (
        <>
          {'Opens '}
          <ExactTime at={opensAt} />
          {'. '}
        </>
      )}
      {closesAt !== null && (
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
  return <p safe>{`${asSentence(CAN_COPY)}.`}</p>
}

function Listed({ bundle: { listed } }: PartProps): JSX.Element {
  if (!listed) return ''
  return <p>It’s on the start page.</p>
}

/** Fields that only the owner edits, visible to members. */
function Own({ bundle: { externalId, metadata, ...bundle } }: PartProps): JSX.Element {
  const aliases = aliasesIn(bundle.aliases)
  const entries = Object.entries(metadata ?? {})
  if (externalId === null && entries.length === 0 && aliases.length === 0) return ''
  const also =
    aliases.length === 0
      ? []
      : [['Also at', aliases.map((slug) => routes.launcher.page.href({ slug })).join(' ')] as const]
  const facts = [...also, ...(externalId === null ? [] : [['ID', externalId] as const]), ...entries]
  return (
    <section class="stack">
      <h2>{aliases.length === 0 ? 'ID and metadata' : 'Other links, ID and metadata'}</h2>
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

/** Grouped by section, like the launcher; links without a section form a list without a heading. */
function ReadOnlyLinks({ bundle, icons }: { bundle: StoredBundle; icons: SiteIcons }): JSX.Element {
  const names = bundle.variables.map(({ name }) => name)
  const dir = directionOf(bundle)
  return (
    <Each
      of={sectionsOf(bundle)}
      show={({ name, urls, urlMetadata }) => {
        const links = urls.map((url, index) => (
          <Link url={url} metadata={urlMetadata[index] ?? {}} names={names} icons={icons} />
        ))
        const list = (
          <ol class="links reading" dir={dir}>
            {links}
          </ol>
        )
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
    <li class="link-row">
      <a href={attribute(to.href)} target="_blank" rel="noopener noreferrer">
        <Line fields={fields} names={names} icons={icons} />
      </a>
      {to.unicode !== null && (
        <p class="hint" dir="ltr" safe>
          {hostText(to)}
        </p>
      )}
      {more.length > 0 && (
        <p class="prose hint">
          <span dir="auto">
            <Emphasis text={more.join('\n')} show={(text) => <Blanks text={text} names={names} />} />
          </span>
        </p>
      )}
    </li>
  )
}
