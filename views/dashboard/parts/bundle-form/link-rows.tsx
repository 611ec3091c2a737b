/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../../src/bundles/content/content.ts'
import type { SeenLink } from '../../../../src/bundles/links/elsewhere.ts'
import { type Link, MARK_NAMES, optionsOf, readTags } from '../../../../src/bundles/links/link-fields.ts'
import type { Said } from '../../../../src/bundles/list/found.ts'
import type { Offer } from '../../../../src/bundles/variables/placeholders.ts'
import { routes } from '../../../../src/core/routes.ts'
import { asSentence } from '../../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../../src/icons/site.ts'
import { Emphasis } from '../../../parts/emphasis.tsx'
import { SaidLine, writtenIn } from '../../../parts/found.tsx'
import { Icon } from '../../../parts/icons.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { newNamesIn, Offers, Tells } from '../../../parts/names-in-links.tsx'
import { Tile } from '../../../parts/tile.tsx'
import { Blanks } from '../blanks.tsx'
import {
  type EditorState,
  type Focus,
  type FormError,
  isEmptyLink,
  type LinkFields,
  NEW_LINK,
  namesOf,
  type Removed,
  ROW_FIELDS,
  removedText,
} from './bundle-form.ts'
import { LinkInputs } from './link-inputs.tsx'
import { Part } from './part.tsx'

interface RowsProps {
  state: EditorState
  icons: SiteIcons
}

/** The links of a form, including removed ones at their positions. */
export function LinkRows({ state, icons }: RowsProps): JSX.Element {
  const { form, checked, focus, seen } = state
  const { links } = form
  const own = newNamesIn(links.map(({ url }) => url))
  const name = focus !== null && 'name' in focus ? `{${focus.name}}` : null
  return (
    <WithRemoved
      rows={links}
      removed={form.removed.links}
      show={(fields, index) => (
        <LinkRow
          fields={fields}
          index={index}
          errors={checked.errors.filter(({ link }) => link === index)}
          offers={checked.variables.offers.filter(({ links: [first] }) => first === index)}
          tells={{ own: own[index] ?? [], names: checked.variables.names, focus: name }}
          names={namesOf(form)}
          state={state}
          begins={beginsSection(fields, links[index - 1])}
          focus={focus !== null && 'link' in focus && focus.link === index ? focus.on : null}
          seen={seen?.find(({ url }) => url === fields.url.trim())}
          icons={icons}
        />
      )}
      showRemoved={(fields) => (
        <RemovedRow
          id={`link-${fields.row}`}
          kind="link-row"
          field="removed"
          fields={fields}
          called={fields.note.split('\n')[0] || fields.url || 'a link'}
          back={`back-${fields.row}`}
          state={state}
        />
      )}
    />
  )
}

/** An empty row, which the script shows at once on request. */
export function NewLink(): JSX.Element {
  return (
    <template id="new-add">
      <LinkRow
        fields={{ ...NEW_LINK, row: 'new' }}
        index={0}
        errors={[]}
        offers={[]}
        tells={undefined}
        names={[]}
        state={{ step: null, has: new Set() }}
        begins={false}
        focus={null}
        seen={undefined}
        icons={{}}
      />
    </template>
  )
}

interface WithRemovedProps<Fields> {
  rows: readonly Fields[]
  removed: readonly Removed<Fields>[]
  show(fields: Fields, index: number): JSX.Element
  showRemoved(fields: Fields): JSX.Element
}

/** The rows of a form, with removed rows at their positions. */
export function WithRemoved<Fields>({ rows, removed, show, showRemoved }: WithRemovedProps<Fields>): JSX.Element {
  const removedAt = (isThere: (at: number) => boolean) => (
    <Each of={removed.filter(({ at }) => isThere(at))} show={({ fields }) => showRemoved(fields)} />
  )
  return (
    <>
      <Each
        of={rows}
        show={(fields, index) => (
          <>
            {removedAt((at) => at === index)}
            {show(fields, index)}
          </>
        )}
      />
      {removedAt((at) => at >= rows.length)}
    </>
  )
}

interface RemovedRowProps {
  id: string
  kind: 'link-row' | 'variable'
  /** The field that contains the removed row. */
  field: string
  fields: Parameters<typeof removedText>[0]
  called: string
  /** The value of the button that restores it. */
  back: string
  state: Pick<EditorState, 'focus' | 'announcement' | 'step'>
}

/** A removed row; it can be restored until the page is left. */
export function RemovedRow({ id, kind, field, fields, called, back, state }: RemovedRowProps): JSX.Element {
  const { focus, step } = state
  if (step === 'checked') return ''
  return (
    <li class={[kind, 'removed']} id={id}>
      <input type="hidden" name={field} value={attribute(removedText(fields))} />
      <p class="gone">
        <bdi safe>{`Removed: ${called}`}</bdi>
        <button
          type="submit"
          name="do"
          value={back}
          class="small"
          autofocus={focus !== null && 'removed' in focus && focus.removed === fields.row}
        >
          Put back
        </button>
      </p>
    </li>
  )
}

/** Whether a link is the first of its section; links without a section have no heading, unless they end a section. */
function beginsSection({ section }: LinkFields, above: LinkFields | undefined): boolean {
  return section.trim() !== (above?.section.trim() ?? '') && section.trim() !== ''
}

/** The focused part of a link. */
type LinkFocus = Extract<Focus, { link: number }>['on'] | null

interface RowProps {
  fields: LinkFields
  index: number
  errors: FormError[]
  /** Parts that could become variables, and occur in no link above. */
  offers: readonly Offer[]
  /** What becomes of the names in braces that occur in no link above. */
  tells: Parameters<typeof Tells>[0] | undefined
  names: readonly string[]
  /** Whether it begins its section. */
  begins: boolean
  focus: LinkFocus
  seen: SeenLink | undefined
  icons: SiteIcons
  state: Pick<EditorState, 'step' | 'has'>
}

/** A link: a line that opens to its fields. It starts open if it is empty or has errors or hints. */
function LinkRow({
  fields,
  index,
  errors,
  offers,
  tells,
  names,
  begins,
  focus,
  seen,
  icons,
  state,
}: RowProps): JSX.Element {
  const { row, said = [] } = fields
  const id = `link-${row}`
  return (
    <Part of="li" class={begins ? 'link-row begins-section' : 'link-row'} id={id} state={state}>
      <input type="hidden" name="row" value={row} />
      {said.length > 0 && (
        <input
          type="hidden"
          name={ROW_FIELDS.said + row}
          value={attribute(JSON.stringify({ url: fields.url, said }))}
        />
      )}
      {begins ? <SectionName fields={fields} hasFocus={focus === 'section'} /> : ''}
      <fieldset>
        <legend class="visually-hidden" safe>{`Link ${index + 1}`}</legend>
        <span class="grip scripted" title="Drag, or Alt ↑ ↓">
          <Icon name="grip" />
        </span>
        <details class="link-fold" open={isEmptyLink(fields) || errors.length > 0 || focus === 'url'}>
          <summary aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown" {...(focus === 'line' ? { autofocus: true } : {})}>
            <Line fields={fields} names={names} icons={icons} />
          </summary>
          <LinkInputs fields={fields} id={id} errors={errors} focus={focus} />
          {seen !== undefined && <AlsoIn row={row} seen={seen} />}
        </details>
        <SaidLine said={said} undo={<TakeBack said={said} row={row} />} />
        {tells !== undefined && <Tells {...tells} />}
        <Offers offers={offers} />
        <div class="moves">
          <Each
            of={['up', 'down'] as const}
            show={(to) => (
              <button
                type="submit"
                class="quiet"
                id={`${id}-${to}`}
                name="do"
                value={`${to}-${row}`}
                aria-label={`Move ${to}`}
                autofocus={focus === to}
              >
                <Icon name={to} />
              </button>
            )}
          />
          <button type="submit" class="quiet" name="do" value={`remove-${row}`} aria-label="Remove">
            <Icon name="trash" />
          </button>
        </div>
      </fieldset>
    </Part>
  )
}

/** The name of a section, above its first link; a new name applies to all its links. */
function SectionName({ fields, hasFocus }: { fields: LinkFields; hasFocus: boolean }): JSX.Element {
  const { row, heading } = fields
  const section = fields.section.trim()
  return (
    <p class="section-head">
      <input type="hidden" name={ROW_FIELDS.headingWas + row} value={attribute(section)} />
      <input
        id={`link-${row}-heading`}
        name={ROW_FIELDS.heading + row}
        value={attribute(heading ?? section)}
        aria-label="Name of this section"
        dir="auto"
        maxlength={String(BOUNDS.section)}
        autocomplete="off"
        autofocus={hasFocus}
      />
    </p>
  )
}

interface LineProps extends Pick<RowProps, 'names' | 'icons'> {
  fields: Record<keyof Link, string>
}

/** The line of a link: its site, title, address and tags. */
export function Line({ fields, names, icons }: LineProps): JSX.Element {
  const { url, note, tags } = fields
  return (
    <span class="line">
      <Tile url={url.trim()} icon={iconOf(url.trim(), icons)} />
      <span class="called" dir="auto">
        <Emphasis text={note.trim().split('\n')[0] ?? ''} show={(text) => <Blanks text={text} names={names} />} />
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

/** A button that restores the address from the text. */
function TakeBack({ said, row }: { said: readonly Said[]; row: string }): JSX.Element {
  if (writtenIn(said) === undefined) return ''
  return (
    <button type="submit" name="do" value={`undo-${row}`}>
      Undo
    </button>
  )
}

/** The other bundle that contains a link. */
function AlsoIn({ row, seen }: { row: string; seen: SeenLink }): JSX.Element {
  const { slug, called } = seen
  return (
    <p class="hint seen">
      <input type="hidden" name={ROW_FIELDS.seen + row} value={attribute(JSON.stringify({ slug, called }))} />
      {'Also in '}
      <a href={routes.bundle.edit.href({ slug })} target="_blank" dir="auto" safe rel="noopener">
        {called}
      </a>
    </p>
  )
}
