/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { publicMarksOf, type Section, sectionsOf } from '../../../src/bundles/links/link-fields.ts'
import { type Filling, fillText, namesIn } from '../../../src/core/template.js'
import { asSentence } from '../../../src/core/words.ts'
import { iconOf, type SiteIcon } from '../../../src/icons/site.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import { destination, withBraces } from '../../parts/destination.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Filled, type FilledProps, leadTo, Stressed } from './filled.tsx'
import { directionOf } from './picture.ts'

interface SectionsProps {
  bundle: Pick<PublicBundle, 'title' | 'urls' | 'urlMetadata' | 'variables' | 'siteIcons'>
  filling: Filling
  /** In a preview, the index of the edited tab; null for none. */
  edited: number | null | undefined
}

/** With more links than fit, only the first section is open. */
const FITTING = 12

/** The tabs of a launcher, in their sections. */
export function Sections({ bundle, filling, edited }: SectionsProps): JSX.Element {
  const sections = sectionsOf(bundle)
  const doFit = bundle.urls.length <= FITTING
  const first = sections.find(({ name }) => name !== '')
  const dir = directionOf(bundle)
  return (
    <Each
      of={sections}
      show={(section) => {
        const place = edited == null ? -1 : edited - section.from
        const fill = { variables: bundle.variables, filling }
        const tabs = <Tabs section={section} icons={bundle.siteIcons} fill={fill} edited={place} dir={dir} />
        const holdsEdited = place >= 0 && place < section.urls.length
        return section.name === '' ? (
          tabs
        ) : (
          <Named
            section={section}
            fill={fill}
            isOpen={doFit || section === first || holdsEdited}
            tabs={tabs}
            dir={dir}
          />
        )
      }}
    />
  )
}

interface PartProps {
  section: Section
  fill: FilledProps
}

/** About as many tabs fit on a phone's first screen; the icons of the others load later. */
const ABOVE_FOLD = 6

interface TabsProps extends PartProps {
  icons: PublicBundle['siteIcons']
  edited: number
  dir: 'rtl' | undefined
}

function Tabs({ section: { from, urls, urlMetadata }, icons, fill, edited, dir }: TabsProps): JSX.Element {
  return (
    <ol class="tabs" dir={dir}>
      <Each
        of={urls}
        show={(url, index) => (
          <Tab
            url={url}
            metadata={urlMetadata[index] ?? {}}
            icon={iconOf(url, icons)}
            isLazy={from + index >= ABOVE_FOLD}
            fill={fill}
            kind={index === edited ? 'edited' : undefined}
          />
        )}
      />
    </ol>
  )
}

interface NamedProps extends PartProps {
  isOpen: boolean
  tabs: JSX.Element
  dir: 'rtl' | undefined
}

/** A section with its heading, and a button for its tabs only. The button is outside the summary, which folds the section. */
function Named({ section, fill, isOpen, tabs, dir }: NamedProps): JSX.Element {
  const { name, urls, urlMetadata } = section
  const openable = urlMetadata.filter(({ openPolicy }) => openPolicy !== 'manual').length
  return (
    <section dir={dir}>
      <a
        class="button part"
        href="#links"
        hidden={openable === 0}
        aria-label={attribute(`Open ${openable}: ${fillText(name, fill.filling.values)}`)}
        safe
      >
        {`Open ${openable}`}
      </a>
      <details open={isOpen}>
        <summary class="named">
          <h2 dir="auto">
            <Filled text={name} {...fill} />
          </h2>
          <span class="holds">{urls.length}</span>
        </summary>
        {tabs}
      </details>
    </section>
  )
}

/** A note up to this length names the tab; a longer one is shown below it. */
const NAME_LENGTH = 90

interface TabProps {
  url: string
  metadata: PublicBundle['urlMetadata'][number]
  icon: SiteIcon | undefined
  /** Whether its icon is loaded only when it is about to become visible. */
  isLazy: boolean
  fill: FilledProps
  /** In a preview, marks the edited tab. */
  kind: 'edited' | undefined
}

/** A tab of a bundle, as a link. */
function Tab({ url, metadata, icon, isLazy, fill, kind }: TabProps) {
  const names = fill.variables.map(({ name }) => name)
  const own = namesIn(url, names)
  const { note = '', tags = [], openPolicy } = metadata
  const marks = publicMarksOf(metadata)
  // Always in punycode, because `аpple.com` with a Cyrillic а looks like another host.
  const { href, host, path } = destination(url)
  const [first = '', ...more] = note.trim().split('\n')
  const name = first.length <= NAME_LENGTH ? first : ''
  const text = name === '' ? note.trim() : more.join('\n').trim()
  return (
    <li class={kind}>
      <Tile url={url} icon={icon} isLazy={isLazy} />
      <a
        class="tab"
        {...leadTo(url, fill)}
        data-link={own.length === 0 && href === url ? undefined : escapeHtml(url)}
        data-open={openPolicy === 'manual' ? 'manual' : 'auto'}
      >
        <span class="name" dir="auto">
          {name === '' ? escapeHtml(host) : <Stressed text={name} {...fill} />}
        </span>
        {(name !== '' || path !== '') && (
          <span class="where" dir="ltr">
            {name !== '' && (
              <span class="host" safe>
                {host}
              </span>
            )}
            {(name === '' || own.length > 0) && (
              <span>
                <Filled text={own.length === 0 ? path : withBraces(path, own)} {...fill} isAddress />
              </span>
            )}
          </span>
        )}
      </a>
      {text !== '' && (
        <p class="note" dir="auto">
          <Stressed text={text} {...fill} />
        </p>
      )}
      {marks.length + tags.length > 0 && (
        <ul class="tags">
          <Each
            of={marks}
            show={(mark) => (
              <li class="by-hand" dir="auto" safe>
                {asSentence(mark)}
              </li>
            )}
          />
          <Each
            of={tags}
            show={(tag) => (
              <li dir="auto" safe>
                {tag}
              </li>
            )}
          />
        </ul>
      )}
    </li>
  )
}
