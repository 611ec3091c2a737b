/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { AddedLinks } from '../../home/found.tsx'
import { Each } from '../../parts/each.tsx'
import { Field } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { offerWords } from '../../parts/offers.tsx'
import { type Checked, type EditorState, type LinkFields, namesOf } from './bundle-form.ts'
import { LinkRows } from './link-rows.tsx'

interface LinksProps {
  /** Where the form goes; below it stands what checks it. */
  action: string
  state: EditorState
}

/** The list of links, and the ways to add to it. */
export function Links({ action, state }: LinksProps): JSX.Element {
  const { form, checked, focus, pasted } = state
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
        <details class="more">
          <summary>Paste several</summary>
          <Field id="more" label="Paste your links, one per line">
            <textarea
              id="more"
              name="more"
              rows="4"
              spellcheck="false"
              autocapitalize="off"
              data-find-url="/found"
              placeholder={'https://example.com/agenda\nTeam notes | https://notes.example.com'}
            ></textarea>
            <p>
              <button type="submit" name="do" value="paste" class="small">
                Add them
              </button>
            </p>
          </Field>
        </details>
        <div id="found" role="status">
          {pasted === null ? '' : <AddedLinks list={pasted} />}
        </div>
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
        {`${count} of ${BOUNDS.urls}`}
      </span>
    </>
  )
}
