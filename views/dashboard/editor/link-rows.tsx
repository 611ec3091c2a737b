/** @jsxImportSource @kitajs/html */

import { optionsOf } from '../../../src/bundles/link-fields.ts'
import { MARK_NAMES } from '../../../src/bundles/link-marks.ts'
import type { Offer } from '../../../src/bundles/placeholders.ts'
import type { SeenLink } from '../../../src/bundles/seen.ts'
import { readTags } from '../../../src/bundles/tags.ts'
import { asSentence } from '../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Offers } from '../../parts/offers.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Blanks } from '../parts/blanks.tsx'
import {
  type Checked,
  type EditorState,
  type Focus,
  type FormError,
  isEmptyLink,
  type LinkFields,
} from './bundle-form.ts'
import { LinkInputs } from './link-inputs.tsx'

interface RowsProps {
  links: readonly LinkFields[]
  checked: Checked
  /** The names of the bundle’s variables. */
  names: readonly string[]
  /** The prefix of the fields' ids. */
  ids: string
  focus: EditorState['focus']
  seen: EditorState['seen']
  icons: SiteIcons
}

export function LinkRows({ links, checked, names, ids, focus, seen, icons }: RowsProps): JSX.Element {
  return (
    <Each
      of={links}
      show={(fields, index) => (
        <LinkRow
          fields={fields}
          id={`${ids}-${index + 1}`}
          index={index}
          errors={checked.errors.filter(({ link }) => link === index)}
          offers={checked.variables.offers.filter(({ links: [first] }) => first === index)}
          names={names}
          begins={beginsSection(fields, links[index - 1])}
          focus={focus !== null && 'link' in focus && focus.link === index ? focus.on : null}
          seen={seen.find(({ url }) => url === fields.url.trim())}
          icons={icons}
        />
      )}
    />
  )
}

/** Whether a link is the first of its section; links without one have no heading, unless they end a section. */
function beginsSection({ section }: LinkFields, above: LinkFields | undefined): boolean {
  return section.trim() !== (above?.section.trim() ?? '') && section.trim() !== ''
}

/** What of a link has the focus. */
type LinkFocus = Extract<Focus, { link: number }>['on'] | null

interface RowProps {
  fields: LinkFields
  id: string
  index: number
  errors: FormError[]
  /** What could become a variable, and is in no link above. */
  offers: readonly Offer[]
  names: readonly string[]
  /** Whether its section begins with it. */
  begins: boolean
  focus: LinkFocus
  seen: SeenLink | undefined
  icons: SiteIcons
}

/** One link: a line that opens to its fields. It starts open if it is empty or has errors or hints. */
function LinkRow({ fields, id, index, errors, offers, names, begins, focus, seen, icons }: RowProps): JSX.Element {
  return (
    <li class={['link-row', begins && 'begins-section']}>
      {/* The script makes it a field that renames the section. */}
      <p class="section-head" dir="auto" safe>
        {fields.section.trim()}
      </p>
      <fieldset>
        <legend class="visually-hidden" safe>{`Link ${index + 1}`}</legend>
        <span class="grip scripted" title="Drag, or Alt ↑ ↓">
          <Icon name="grip" />
        </span>
        <details
          class="link-fold"
          open={isEmptyLink(fields) || errors.length > 0 || focus === 'url' || focus === 'section'}
        >
          <summary aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown">
            <Line fields={fields} names={names} icons={icons} />
          </summary>
          <LinkInputs fields={fields} id={id} errors={errors} focus={focus} />
          {seen === undefined ? '' : <AlsoIn {...seen} />}
        </details>
        <Offers offers={offers} />
        <div class="moves">
          <Each
            of={['up', 'down'] as const}
            show={(to) => (
              <button
                type="submit"
                class="quiet"
                name="do"
                value={`${to}-${index}`}
                aria-label={`Move ${to}`}
                autofocus={focus === to}
              >
                <Icon name={to} />
              </button>
            )}
          />
          <button type="submit" class="quiet" name="do" value={`remove-${index}`} aria-label="Remove">
            <Icon name="trash" />
          </button>
        </div>
      </fieldset>
    </li>
  )
}

/** The line of a link: its site, title, address and tags. `writeLine` in link-list.js updates it during typing. */
export function Line({ fields, names, icons }: Pick<RowProps, 'fields' | 'names' | 'icons'>): JSX.Element {
  const { url, note, tags } = fields
  return (
    <span class="line">
      <Tile url={url.trim()} icon={iconOf(url.trim(), icons)} />
      <span class="called" dir="auto">
        <Blanks text={note.trim().split('\n')[0] ?? ''} names={names} />
      </span>
      <bdi class="at" dir="ltr">
        <Blanks text={url.trim().replace(/^https?:\/\//i, '')} names={names} />
      </bdi>
      {/* Shown if there is neither a note nor an address. */}
      <span class="unnamed">New link</span>
      <span class="badges">
        {MARK_NAMES.flatMap((name) =>
          [...(optionsOf(name) ?? [])].slice(1).map(([text, { mark }]) => (
            <span class="tag" data-field={name} data-value={text} hidden={fields[name] !== text} safe>
              {asSentence(mark)}
            </span>
          )),
        )}
        <Each
          of={readTags(tags)}
          show={(tag) => (
            <span class="tag" dir="auto" safe>
              {tag}
            </span>
          )}
        />
      </span>
    </span>
  )
}

/** In which other bundle a link stands; `sayWhere` in seen-links.js says it of those that are added. */
function AlsoIn({ slug, called }: SeenLink): JSX.Element {
  return (
    <p class="hint seen">
      {'Also in '}
      <a href={`/dashboard/links/${slug}`} target="_blank" dir="auto" safe rel="noopener">
        {called}
      </a>
    </p>
  )
}
