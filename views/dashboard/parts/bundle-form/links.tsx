/** @jsxImportSource @kitajs/html */
import { BOUNDS } from '../../../../src/bundles/content/content.ts'
import { routes } from '../../../../src/core/routes.ts'
import type { SiteIcons } from '../../../../src/icons/site.ts'
import { Field } from '../../../parts/fields.tsx'
import { AddedLinks, SuggestedTitles } from '../../../parts/found.tsx'
import { Icon } from '../../../parts/icons.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { ASKED, askedOf, type EditorState, type LinkFields, nextRow } from './bundle-form.ts'
import { LinkRows } from './link-rows.tsx'
import { Part } from './part.tsx'

interface LinksProps {
  /** The address to which the form posts. */
  action: string
  state: EditorState
  icons: SiteIcons
}

/** The list of links, and the ways to add to it. */
export function Links({ action, state, icons }: LinksProps): JSX.Element {
  const { form, focus, pasted, step } = state
  const sections = (
    <Part of="datalist" id="sections" state={state}>
      <Each of={sectionNames(form.links)} show={(name) => <option value={attribute(name)}></option>} />
    </Part>
  )
  const rows = <LinkRows state={state} icons={icons} />
  if (step === 'checked') {
    return (
      <>
        <Counted state={state} />
        {sections}
        {rows}
      </>
    )
  }
  const paste = <PasteBox hasFocus={focus !== null && 'paste' in focus} />
  const added = (
    // The result is announced while the form is filled in.
    <div id="found" role="status" data-same={step !== null && pasted === null}>
      {pasted !== null && (
        <>
          <AddedLinks list={pasted} />
          <p class="hint">Nothing is saved yet: check the links first.</p>
        </>
      )}
    </div>
  )
  return (
    <section class="links" aria-labelledby="links-heading">
      <div class="links-head">
        <div
          id="check"
          hx-post={action}
          hx-vals='{"do":"check"}'
          hx-trigger="input from:#main delay:400ms"
          hx-target="this"
          hx-sync="this:replace"
          hx-indicator="this"
          hx-validate="false"
        >
          <Counted state={state} />
        </div>
        <button type="submit" name="do" value="section" class="quiet small">
          <Icon name="section" />
          Add a section
        </button>
      </div>
      {sections}
      <SuggestedTitles />
      <ol id="links">{rows}</ol>
      <div class="adding">
        <button type="submit" name="do" value={`add-${nextRow(form.links, form.removed.links)}`} class="quiet small">
          <Icon name="plus" />
          Add a link
        </button>
        {paste}
        {added}
      </div>
    </section>
  )
}

function sectionNames(links: readonly LinkFields[]): string[] {
  return [...new Set(links.map(({ section }) => section.trim()))].filter((name) => name !== '')
}

/** The number of links, and the error of the list. */
function Counted({ state }: Pick<LinksProps, 'state'>): JSX.Element {
  const { count, list } = state.checked
  const room = BOUNDS.urls - count
  return (
    <Part of="div" id="counted" state={state}>
      <h2 id="links-heading" safe>
        {count === 1 ? '1 link' : `${count} links`}
      </h2>
      <span class={['count-of', room < 0 && 'over']} safe>
        {room < 0 ? `${-room} too many` : room === 0 ? 'no room for more' : `room for ${room} more`}
      </span>
      {list !== null && (
        <p class="error" role="status" safe>
          {list}
        </p>
      )}
      <input type="hidden" name={ASKED} value={askedOf(state)} />
    </Part>
  )
}

/** A folded field for any text with links. Its script converts pasted text to rows at once. */
function PasteBox({ hasFocus }: { hasFocus: boolean }): JSX.Element {
  return (
    <details class="more" open={hasFocus}>
      <summary>Paste several</summary>
      <Field id="more" label="Paste your links">
        <textarea
          id="more"
          name="more"
          data-rich=""
          data-unsent=""
          rows="4"
          spellcheck="false"
          autocapitalize="off"
          dir="auto"
          autofocus={hasFocus}
          data-find-url={routes.found.href()}
          placeholder={'Paste anything: a chat, an email, a list.\nWe find the links.'}
        ></textarea>
        <p>
          <button type="submit" name="do" value="paste" class="small">
            Add them
          </button>
        </p>
      </Field>
    </details>
  )
}
