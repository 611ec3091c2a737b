/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/bounds.ts'
import { count } from '../../../src/core/words.ts'
import type { ImportedBundle, ImportedLink } from '../../../src/imports/plan.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { described, FieldError } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { type ImportForm, noteName, placeOf } from './import-form.ts'

/** Longer lists of links are folded. */
const FEW = 8

interface PlannedProps {
  form: ImportForm
  bundle: ImportedBundle
  index: number
}

/** A bundle of the plan: its title, and its links, of which each can be left out. */
export function PlannedBundle({ form, bundle, index }: PlannedProps): JSX.Element {
  const id = `title-${index}`
  const error = form.errors.get(index)
  const isShort = bundle.links.length <= FEW
  return (
    <li>
      <div class="planned">
        <input
          type="checkbox"
          name="bundle"
          value={String(index)}
          checked={form.ticked.has(String(index))}
          aria-label={`Create bundle ${index + 1}`}
        />
        <div class="field">
          <input
            id={id}
            name={id}
            value={attribute(form.titles[index] ?? '')}
            aria-label={`Title of bundle ${index + 1}`}
            placeholder="Untitled"
            dir="auto"
            autocomplete="off"
            {...described(id, error)}
          />
          <FieldError id={id} error={error} />
        </div>
        <span class="hint number" safe>
          {count(bundle.links.length, 'link') + (bundle.resolutionPolicy === undefined ? '' : ' and rules')}
        </span>
      </div>
      <details open={isShort}>
        <summary safe>{`Links of bundle ${index + 1}`}</summary>
        <ul>
          <Each
            of={bundle.links}
            show={(link, at) => <PlannedLink form={form} link={link} place={placeOf(index, at)} />}
          />
        </ul>
      </details>
    </li>
  )
}

interface PlannedLinkProps {
  form: ImportForm
  link: ImportedLink
  place: string
}

/** A link of the plan. One without a title may have a field for it, where its page’s is suggested. */
function PlannedLink({ form, link: { url, metadata }, place }: PlannedLinkProps): JSX.Element {
  const { note = '', section = '', tags = [] } = metadata
  const to = destination(url)
  const title = form.notes.get(place)
  return (
    <li data-url={title === undefined ? undefined : attribute(url)}>
      <label>
        <input type="checkbox" name="link" value={place} checked={form.ticked.has(place)} />
        <Tile url={url} />
        <span class="what">
          {note === '' ? '' : <b dir="auto" safe>{`${note.split('\n')[0]} `}</b>}
          <bdi class="hint" safe>
            {hostText(to) + to.path}
          </bdi>
          {section === '' ? '' : <strong class="hint" dir="auto" safe>{` ${section}`}</strong>}
          <Each
            of={tags}
            show={(tag) => (
              <span class="tag" dir="auto" safe>
                {tag}
              </span>
            )}
          />
        </span>
      </label>
      {title === undefined ? (
        ''
      ) : (
        <input
          name={noteName(place)}
          value={attribute(title)}
          aria-label={attribute(`Title of ${hostText(to) + to.path}`)}
          placeholder="Title"
          maxlength={String(BOUNDS.note)}
          dir="auto"
          autocomplete="off"
        />
      )}
    </li>
  )
}
