/** @jsxImportSource @kitajs/html */

import { type Section, sectionsOf } from '../../src/bundles/sections.ts'
import { type Filling, fillText } from '../../src/core/template.js'
import { iconOf } from '../../src/icons/site.ts'
import type { PublicBundle } from '../../src/launcher/served.ts'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'
import { Filled, type FilledProps } from './filled.tsx'
import { Tab } from './tab.tsx'

interface SectionsProps {
  bundle: Pick<PublicBundle, 'urls' | 'urlMetadata' | 'variables' | 'siteIcons'>
  filling: Filling
  /** In a preview, the index of the tab that is being edited; null for none. */
  edited: number | null | undefined
}

/** Longer bundles of several sections start with their sections folded. */
const LONG = { links: 12, sections: 3 }

export function Sections({ bundle, filling, edited }: SectionsProps): JSX.Element {
  const sections = sectionsOf(bundle)
  const isLong = bundle.urls.length > LONG.links && sections.length >= LONG.sections
  return (
    <Each
      of={sections}
      show={(section) => {
        const place = edited == null ? -1 : edited - section.from
        const fill = { variables: bundle.variables, filling }
        const tabs = <Tabs section={section} icons={bundle.siteIcons} fill={fill} edited={place} />
        const holdsEdited = place >= 0 && place < section.urls.length
        return section.name === '' ? (
          tabs
        ) : (
          <Named section={section} fill={fill} isOpen={!isLong || holdsEdited} tabs={tabs} />
        )
      }}
    />
  )
}

interface PartProps {
  section: Section
  fill: FilledProps
}

/** Without opening anything, a phone shows about as many tabs; the icons of the others are loaded later. */
const ABOVE_FOLD = 6

interface TabsProps extends PartProps {
  icons: PublicBundle['siteIcons']
  edited: number
}

function Tabs({ section: { from, urls, urlMetadata }, icons, fill, edited }: TabsProps): JSX.Element {
  return (
    <ol class="tabs">
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

/** A section with its heading, and a button for its tabs alone. The button is no part of the summary, which folds it. */
function Named({ section, fill, isOpen, tabs }: PartProps & { isOpen: boolean; tabs: JSX.Element }): JSX.Element {
  const { name, urls, urlMetadata } = section
  const openable = urlMetadata.filter(({ openPolicy }) => openPolicy !== 'manual').length
  return (
    <section>
      <button
        type="button"
        class="part"
        hidden={openable === 0}
        aria-label={attribute(`Open ${openable}: ${fillText(name, fill.filling.values)}`)}
        safe
      >
        {`Open ${openable}`}
      </button>
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
