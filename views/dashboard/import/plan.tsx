/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { FORMATS } from '../../../src/imports/formats.ts'
import type { ImportedBundle, ImportedLink, ImportPlan } from '../../../src/imports/plan.ts'
import { destination, hostText, withBraces } from '../../parts/destination.ts'
import { Alert, described, FieldError } from '../../parts/fields.tsx'
import { SaidLine, SuggestedTitles, writtenIn } from '../../parts/found.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { namesInBraces, newNamesIn } from '../../parts/names-in-links.tsx'
import { Tile } from '../../parts/tile.tsx'
import { type ImportForm, noteName, placeOf } from './import-form.ts'
import { foundIn, PlannedNames } from './names.tsx'
import { Remarks } from './remarks.tsx'
import { TextField, Working } from './text-field.tsx'

/** The bundles that a text would create; each bundle and link can be deselected. */
export function Plan({ form, plan }: { form: ImportForm; plan: ImportPlan }): JSX.Element {
  const { bundles, format } = plan
  const { skipped } = plan.counts
  const links = bundles.reduce((sum, bundle) => sum + bundle.links.length, 0)
  const ticked = bundles.filter((_, index) => form.ticked.has(String(index))).length
  const isNone = ticked === 0
  return (
    <>
      {/* The default button: Enter in any field creates the bundles. */}
      <button type="submit" name="do" value="make" hidden>
        Create bundles
      </button>
      <input type="hidden" name="idempotencyKey" value={attribute(form.idempotencyKey)} />
      <input type="hidden" name="reading" value={form.reading} />
      <Alert text={form.refused} />
      <p class="summary">
        <span
          safe
        >{`Read as ${FORMATS[format]}: ${count(bundles.length, 'bundle')} with ${count(links, 'link')}. Nothing has been created yet.`}</span>
        {skipped !== 0 && (
          <>
            {' '}
            <a href="#left-out" safe>{`${count(skipped, 'line')} left out.`}</a>
          </>
        )}
      </p>
      {form.says !== null && (
        <p class="hint" dir="auto" safe>
          {form.says}
        </p>
      )}
      <p class="cluster">
        {bundles.length > 1 && (
          <button type="submit" name="do" value={isNone ? 'all' : 'none'} class="small">
            {isNone ? 'Select all' : 'Select none'}
          </button>
        )}
        <GroupsChoice form={form} plan={plan} links={links} />
      </p>
      <SuggestedTitles />
      <ol class="plan">
        <Each
          of={bundles}
          show={(bundle, index) => (
            <PlannedBundle
              form={form}
              bundle={bundle}
              index={index}
              isOpen={bundles.length === 1 || form.errors.has(index)}
            />
          )}
        />
      </ol>
      <Remarks plan={plan} />
      <details class="more" open={form.error !== null}>
        <summary>Change the text</summary>
        <TextField form={form} rows={8} />
        <p>
          <button type="submit" name="do" value="read" class="small">
            Read it again
          </button>
        </p>
      </details>
      <div class="save-bar">
        <button type="submit" name="do" value="make" class="primary" data-count-bundles="" safe>
          {`Create ${count(ticked, 'bundle')}`}
        </button>
        <a class="quiet" href={routes.bundles.import.href()}>
          Start over
        </a>
        <Working />
      </div>
    </>
  )
}

/** Formats without groups of links, or with complete bundles. */
const UNGROUPED: readonly ImportPlan['format'][] = ['list', 'json']

interface GroupsProps {
  form: ImportForm
  plan: ImportPlan
  /** The number of all links. */
  links: number
}

/** Whether groups become bundles or sections, which is offered for as many links as a bundle holds; a button switches. */
function GroupsChoice({ form: { as }, plan: { format, bundles }, links }: GroupsProps): JSX.Element {
  const other = as === 'bundles' ? 'sections' : 'bundles'
  const isOffered = as === 'sections' || (bundles.length > 1 && links <= BOUNDS.urls)
  return (
    <>
      <input type="hidden" name="as" value={as} />
      {!UNGROUPED.includes(format) && isOffered && (
        <button type="submit" name="do" value={other} class="small">
          {other === 'sections' ? 'Make one bundle with sections instead' : 'Make a bundle of each instead'}
        </button>
      )}
    </>
  )
}

interface PlannedProps {
  form: ImportForm
  bundle: ImportedBundle
  index: number
  /** Whether its links are shown at once, as they are where names in braces are explained. */
  isOpen: boolean
}

/** A bundle of the plan: a line with its title, which opens to its links, each of which can be deselected. */
function PlannedBundle({ form, bundle, index, isOpen }: PlannedProps): JSX.Element {
  const id = `title-${index}`
  const error = form.errors.get(index)
  const found = foundIn(bundle)
  const own = newNamesIn(bundle.links.map(({ url }) => url))
  const told = bundle.links.filter(({ said = [] }) => said.length > 0).length
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
      </div>
      <details open={isOpen || own.some(({ length }) => length > 0)}>
        <summary>
          <span safe>
            {count(bundle.links.length, 'link') + (bundle.resolutionPolicy === undefined ? '' : ' and rules')}
          </span>
          <span class="visually-hidden" safe>{` of bundle ${index + 1}`}</span>
          {told > 0 && <span class="told" safe>{`${told} to check`}</span>}
        </summary>
        <ul>
          <Each
            of={bundle.links}
            show={(link, at) => (
              <PlannedLink form={form} link={link} place={placeOf(index, at)}>
                <PlannedNames form={form} found={found} bundle={index} link={at} own={own[at] ?? []} />
              </PlannedLink>
            )}
          />
        </ul>
      </details>
    </li>
  )
}

type PlannedLinkProps = PropsWithChildren<{
  form: ImportForm
  link: ImportedLink
  place: string
}>

/** A link of the plan. A link without a title may have a title field, for which its page’s title is suggested. */
function PlannedLink({ form, link: { url, metadata, said = [] }, place, children }: PlannedLinkProps): JSX.Element {
  const { note = '', section = '', tags = [] } = metadata
  const to = destination(url)
  const title = form.notes.get(place)
  return (
    <li data-url={title === undefined ? undefined : attribute(url)}>
      <label>
        <input type="checkbox" name="link" value={place} checked={form.ticked.has(place)} />
        <Tile url={url} />
        <span class="what">
          {note !== '' && <b dir="auto" safe>{`${note.split('\n')[0]} `}</b>}
          <bdi class="hint" safe>
            {hostText(to) + withBraces(to.path, namesInBraces(url))}
          </bdi>
          {section !== '' && <strong class="hint" dir="auto" safe>{` ${section}`}</strong>}
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
      <SaidLine
        said={said}
        undo={
          writtenIn(said) === undefined ? (
            ''
          ) : (
            <label>
              <input type="checkbox" name="kept" value={place} checked={form.kept.has(place)} />
              Keep as written
            </label>
          )
        }
      />
      {children}
      {title !== undefined && (
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
