/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { AddedLinks } from '../../home/found.tsx'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { offerWords } from '../../parts/offers.tsx'
import { type Checked, type EditorState, type LinkFields, namesOf } from './bundle-form.ts'
import { LinkRows } from './link-rows.tsx'
import { PasteBox } from './paste-box.tsx'

interface LinksProps {
  /** Where the form goes; below it stands what checks it. */
  action: string
  /** Whether it begins with what is pasted. */
  isFresh: boolean
  state: EditorState
}

/** The list of links, and the ways to add to it. */
export function Links({ action, isFresh, state }: LinksProps): JSX.Element {
  const { form, checked, focus, pasted } = state
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
      <div class="links-head">
        <h2 id="links-heading">Links</h2>
        <div
          id="check"
          hx-post={`${action}/check`}
          hx-trigger="input from:#editor delay:400ms"
          hx-target="this"
          hx-sync="this:replace"
          hx-indicator="this"
          hx-validate="false"
        >
          <Check checked={checked} />
        </div>
      </div>
      {isFresh ? (
        <div class="adding">
          {paste}
          {added}
        </div>
      ) : (
        ''
      )}
      <datalist id="sections">
        <Each of={sectionNames(form.links)} show={(name) => <option value={attribute(name)}></option>} />
      </datalist>
      <ol id="links" data-rows="/dashboard/links/new/rows">
        <LinkRows links={form.links} checked={checked} names={namesOf(form)} ids="link" focus={focus} />
      </ol>
      <div class="adding">
        <button type="submit" name="do" value="add" class="small">
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
  return (
    <>
      {list === null ? (
        ''
      ) : (
        <p class="error" role="status" safe>
          {list}
        </p>
      )}
      <span
        class={['count-of', count > BOUNDS.urls && 'over']}
        data-errors={attribute(JSON.stringify(errors))}
        data-variables={attribute(JSON.stringify({ ...variables, offers }))}
        safe
      >
        {`${count} / ${BOUNDS.urls}`}
      </span>
    </>
  )
}
