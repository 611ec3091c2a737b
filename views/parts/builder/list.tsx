/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { ABOUT_NAMES, BOUNDS } from '../../../src/bundles/content/content.ts'
import type { Offer } from '../../../src/bundles/variables/placeholders.ts'
import { fingerprint } from '../../../src/core/secrets.ts'
import { count, tooMany } from '../../../src/core/words.ts'
import { destination, hostText, withBraces } from '../destination.ts'
import { described, FieldError } from '../fields.tsx'
import { Remarks, SaidLine, skippedSummary, writtenIn } from '../found.tsx'
import { Icon } from '../icons.tsx'
import { attribute, Each } from '../layout.tsx'
import { namesInBraces, newNamesIn, Offers, Tells } from '../names-in-links.tsx'
import { Stubs, Tile } from '../tile.tsx'
import type { ListedLink, Listing, PasteForm } from './form.ts'

/** The parts of the form below the pasted text. The script replaces the parts with the same ids. */
export function ListParts({ form }: { form: PasteForm }): JSX.Element {
  return (
    <>
      <Gauge listing={form.listing} />
      <List form={form} />
    </>
  )
}

/** The tab above the form with the number of links: a stub for each link, and a gap for each that still fits. */
export function Gauge({ listing }: Pick<PasteForm, 'listing'>): JSX.Element {
  const kept = listing?.links.filter(({ isRemoved }) => !isRemoved) ?? []
  const number = listing?.count ?? 0
  return (
    <div class="strip" id="gauge">
      <h2 class="tab-name" id="builder-name">
        {'Your links '}
        <span class={['count-of', number > BOUNDS.urls && 'over']} safe>
          {`${number} / ${BOUNDS.urls}`}
        </span>
      </h2>
      <Stubs urls={Array.from({ length: BOUNDS.urls }, (_, at) => kept[at]?.url)} />
    </div>
  )
}

/** The label of the publishing button: offered variables can be declined. */
export function publishText({ isWanted, offers }: Pick<PasteForm, 'isWanted' | 'offers'>): string {
  return isWanted && offers.length > 0 ? 'Get the link as it is' : 'Get the link'
}

/** The list of links, for review and edits before publishing. */
export function List({ form }: { form: PasteForm }): JSX.Element {
  const { listing, errors, offers, names, focus, isAsked } = form
  // A name is explained in the first row that contains it.
  const own = newNamesIn((listing?.links ?? []).map(({ url, isRemoved }) => (isRemoved ? '' : url)))
  // The position among the remaining links.
  let number = 0
  return (
    <div id="found">
      {listing !== null && (
        <>
          <Summary listing={listing} told={errors.urls} isAsked={isAsked} button={publishText(form)} />
          <ul class="items">
            <Each
              of={listing.links}
              show={(link, at) => {
                if (!link.isRemoved) number += 1
                const isFirst = link.section !== (listing.links[at - 1]?.section ?? '')
                return (
                  <>
                    {isFirst && link.section !== '' && (
                      <li class="found-part">
                        <h3 dir="auto" safe>
                          {link.section}
                        </h3>
                      </li>
                    )}
                    <Item
                      link={link}
                      tells={{ own: own[at] ?? [], names, focus }}
                      offers={link.isRemoved ? [] : offers.filter(({ links: [first] }) => first === number - 1)}
                      number={number}
                      hasFocus={link.url === focus || (focus !== null && writtenIn(link.said) === focus)}
                    />
                  </>
                )
              }}
            />
          </ul>
          {hidden(listing)}
          <Each of={names.plain} show={(name) => <input type="hidden" name="plain" value={name} />} />
          {/* Offers that have been shown are not repeated. */}
          <Each of={offers} show={({ written }) => <input type="hidden" name="offered" value={attribute(written)} />} />
          <Remarks list={listing.list} />
        </>
      )}
    </div>
  )
}

interface SummaryProps {
  listing: Listing
  /** The error that the page already shows. */
  told: string | undefined
  /** Whether the page asks for a review after a request to publish. */
  isAsked: boolean
  /** The label of the publishing button. */
  button: string
}

/** For an element that is no form control, whose types lack it. */
const FOCUSED = { autofocus: true }

function Summary({ listing, told, isAsked, button }: SummaryProps): JSX.Element {
  const { list, count: kept, removed, links, parts } = listing
  if (links.length === 0 && list.counts.skipped + list.counts.changed === 0) return ''
  const error = kept > BOUNDS.urls ? tooMany(kept, BOUNDS.urls) : null
  const found = [
    `${count(kept + removed, 'link')} found`,
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...skippedSummary(list.counts),
  ]
  const unlisted = kept + removed - links.length
  return (
    <div class="found-head">
      <div class="found-line">
        <p class={['found', error !== null && 'over']} tabindex="-1" {...(isAsked ? FOCUSED : {})} safe>
          {found.join(', ')}
        </p>
        <button type="button" class="quiet small unfold" id="unfold" aria-controls="urls" hidden>
          Show the text
        </button>
      </div>
      {isAsked && <p class="hint" safe>{`Nothing is published yet: check the list, then press “${button}”.`}</p>}
      {error !== null && error !== told && (
        <p class="error" safe>
          {error}
        </p>
      )}
      {parts > 1 && (
        <button type="submit" name="do" value="split" class="small" safe>
          {`Create ${parts} bundles instead`}
        </button>
      )}
      {unlisted > 0 && <p class="hint" safe>{`Listed here are the first ${links.length}.`}</p>}
    </div>
  )
}

/** The texts from the paste, to distinguish them from typed ones. */
function hidden({ found }: Listing): JSX.Element {
  return (
    <Each
      of={ABOUT_NAMES}
      show={(name) => <input type="hidden" name={`found-${name}`} value={attribute(found[name])} data-for={name} />}
    />
  )
}

interface ItemProps {
  link: ListedLink
  tells: Parameters<typeof Tells>[0]
  /** Its parts that could become variables, and occur in no link above. */
  offers: readonly Offer[]
  /** Its position among the remaining links, from 1. */
  number: number
  hasFocus: boolean
}

/** A link: its site, its editable title, and a button to remove or restore it. */
function Item({ link, tells, offers, number, hasFocus }: ItemProps): JSX.Element {
  const { url, title, found, isRemoved, isKept, said, error } = link
  const written = writtenIn(said)
  const to = URL.canParse(url) ? destination(url) : null
  const host = to === null ? url : hostText(to)
  const id = `title-${fingerprint(url)}`
  const called = title.trim() || host
  return (
    <li class={['found-row', isRemoved && 'removed']}>
      <input type="hidden" name="url" value={attribute(url)} />
      <input type="hidden" name="was" value={attribute(found)} />
      {isKept && <input type="hidden" name="kept" value={attribute(url)} />}
      {isRemoved ? (
        <>
          <input type="hidden" name="note" value={attribute(title)} />
          <input type="hidden" name="removed" value={attribute(url)} />
          <p class="gone">
            {'Removed: '}
            <bdi safe>{called}</bdi>
          </p>
          <button
            type="submit"
            name="do"
            value={attribute(`back-${url}`)}
            class="small"
            id={id}
            autofocus={hasFocus}
            aria-label={attribute(`Put back ${called}`)}
          >
            Put back
          </button>
        </>
      ) : (
        <>
          <Tile url={url} />
          <div class="duo">
            <input
              id={id}
              name="note"
              value={attribute(title)}
              aria-label={`Title of link ${number}`}
              placeholder="Add a title"
              dir="auto"
              autocomplete="off"
              autofocus={hasFocus}
              {...described(id, error)}
            />
            <bdi class="host" dir="ltr" title={attribute(url)}>
              <span>{escapeHtml(host).replaceAll('.', '.<wbr>')}</span>
              <span class="path" safe>
                {withBraces(to?.path ?? '', namesInBraces(url))}
              </span>
            </bdi>
            <FieldError id={id} error={error} />
            <SaidLine
              said={said}
              isKept={isKept}
              undo={written === undefined ? '' : <TakeBack written={written} isKept={isKept} called={called} />}
            />
            <Tells {...tells} />
            <Offers offers={offers} />
          </div>
          <button
            type="submit"
            name="do"
            value={attribute(`remove-${url}`)}
            class="quiet remove"
            aria-label={attribute(`Remove ${called}`)}
            title="Remove"
          >
            <Icon name="cross" />
          </button>
        </>
      )}
    </li>
  )
}

interface TakeBackProps {
  written: string
  isKept: boolean
  /** The name of the link, for screen readers. */
  called: string
}

/** Switches between the address in the text and the corrected one. */
function TakeBack({ written, isKept, called }: TakeBackProps): JSX.Element {
  const says = isKept ? 'Change it' : 'Undo'
  return (
    <button
      type="submit"
      name="do"
      value={attribute(`${isKept ? 'change' : 'keep'}-${written}`)}
      aria-label={attribute(`${says}: ${called}`)}
    >
      {says}
    </button>
  )
}
