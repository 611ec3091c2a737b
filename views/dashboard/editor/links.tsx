/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { AddedLinks } from '../../home/found.tsx'
import { Each } from '../../parts/each.tsx'
import { Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { offerWords } from '../../parts/offers.tsx'
import { SuggestedTitles } from '../../parts/suggested-titles.tsx'
import { type Checked, type EditorState, type LinkFields, namesOf } from './bundle-form.ts'
import { LinkRows } from './link-rows.tsx'

interface LinksProps {
  /** Where the form goes; below it stands what checks it. */
  action: string
  /** Whether it begins with what is pasted. */
  isFresh: boolean
  /** The fields that stand between what is pasted and the list. */
  about: Children
  state: EditorState
  icons: SiteIcons
}

/** The list of links, and the ways to add to it. */
export function Links({ action, isFresh, about, state, icons }: LinksProps): JSX.Element {
  const { form, checked, focus, pasted, seen } = state
  const paste = <PasteBox isFirst={isFresh} hasFocus={focus !== null && 'paste' in focus} />
  const added = (
    <div id="found" role="status">
      {pasted === null ? (
        ''
      ) : (
        <>
          <AddedLinks list={pasted} />
          <p class="hint">Nothing is saved yet: check the links first.</p>
        </>
      )}
    </div>
  )
  return (
    <section class="links" aria-labelledby="links-heading">
      {isFresh ? (
        <div class="adding">
          {paste}
          {added}
        </div>
      ) : (
        ''
      )}
      {about}
      <div class="links-head">
        <div
          id="check"
          hx-post={`${action}/check`}
          hx-trigger="input from:#main delay:400ms"
          hx-target="this"
          hx-sync="this:replace"
          hx-indicator="this"
          hx-validate="false"
        >
          <Check checked={checked} />
        </div>
        <button type="submit" name="do" value="section" class="quiet small">
          <Icon name="section" />
          Add a section
        </button>
      </div>
      <datalist id="sections">
        <Each of={sectionNames(form.links)} show={(name) => <option value={attribute(name)}></option>} />
      </datalist>
      <SuggestedTitles />
      <ol id="links" data-rows="/dashboard/links/new/rows" data-seen="/dashboard/links/new/seen">
        <LinkRows
          links={form.links}
          checked={checked}
          names={namesOf(form)}
          ids="link"
          focus={focus}
          seen={seen}
          icons={icons}
        />
      </ol>
      <div class="adding">
        <button type="submit" name="do" value="add" class="quiet small">
          <Icon name="plus" />
          Add a link
        </button>
        {isFresh ? '' : paste}
        {isFresh ? '' : added}
      </div>
    </section>
  )
}

function sectionNames(links: readonly LinkFields[]): string[] {
  return [...new Set(links.map(({ section }) => section.trim()))].filter((name) => name !== '')
}

/** How many links there are, and for the script what is wrong with which field, and what is known of variables. */
export function Check({ checked: { count, errors, list, variables } }: { checked: Checked }): JSX.Element {
  const offers = variables.offers.map((offer) => ({ ...offer, says: offerWords(offer) }))
  const room = BOUNDS.urls - count
  return (
    <>
      <h2
        id="links-heading"
        data-errors={attribute(JSON.stringify(errors))}
        data-variables={attribute(JSON.stringify({ ...variables, offers }))}
        safe
      >
        {count === 1 ? '1 link' : `${count} links`}
      </h2>
      <span class={['count-of', room < 0 && 'over']} safe>
        {room < 0 ? `${-room} too many` : room === 0 ? 'no room for more' : `room for ${room} more`}
      </span>
      {list === null ? (
        ''
      ) : (
        <p class="error" role="status" safe>
          {list}
        </p>
      )}
    </>
  )
}

interface PasteBoxProps {
  /** Whether a bundle begins with it; else it is folded. */
  isFirst: boolean
  hasFocus: boolean
}

/** Takes any text with links in it. Its script makes rows of them as soon as something is pasted. */
function PasteBox({ isFirst, hasFocus }: PasteBoxProps): JSX.Element {
  const box = (
    <Field id="more" label="Paste your links" labelClass={isFirst ? 'visually-hidden' : undefined}>
      <textarea
        id="more"
        name="more"
        rows={isFirst ? '5' : '4'}
        spellcheck="false"
        autocapitalize="off"
        dir="auto"
        autofocus={hasFocus}
        data-find-url="/found"
        placeholder={'Paste anything: a chat, an email, a list.\nWe find the links.'}
      ></textarea>
      <p>
        <button type="submit" name="do" value="paste" class="small">
          Add them
        </button>
      </p>
    </Field>
  )
  if (isFirst) return <div class="paste-box">{box}</div>
  return (
    <details class="more">
      <summary>Paste several</summary>
      {box}
    </details>
  )
}
