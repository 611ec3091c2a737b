/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../src/bundles/bounds.ts'
import { ABOUT_NAMES } from '../../src/bundles/content.ts'
import { count, tooMany } from '../../src/core/words.ts'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'
import { Offers } from '../parts/offers.tsx'
import { Stubs } from '../parts/stubs.tsx'
import type { HomeForm, Listing } from './form.ts'
import { Remarks, skippedSummary } from './found.tsx'
import { Item } from './item.tsx'

/** The parts of the form that follow the pasted text. The script puts them in place of those with the same ids. */
export function ListParts({ form }: { form: HomeForm }): JSX.Element {
  return (
    <>
      <Gauge listing={form.listing} />
      <List form={form} />
    </>
  )
}

/** The tab on which the form stands: how many links there are, with a stub for each and a gap for each that fits. */
export function Gauge({ listing }: Pick<HomeForm, 'listing'>): JSX.Element {
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

/** What the button says that publishes: offers of variables, once shown, can be left alone. */
export function publishText({ isWanted, offers }: Pick<HomeForm, 'isWanted' | 'offers'>): string {
  return isWanted && offers.length > 0 ? 'Get the link as it is' : 'Get the link'
}

/** What was found, as a list to look through and to change before anything is published. */
export function List({ form }: { form: HomeForm }): JSX.Element {
  const { listing, errors, offers, focus, isAsked } = form
  // Among those that stay.
  let number = 0
  return (
    <div id="found">
      {listing === null ? (
        ''
      ) : (
        <>
          <Summary listing={listing} told={errors.urls} isAsked={isAsked} button={publishText(form)} />
          <ul class="items">
            <Each
              of={listing.links}
              show={(link) => {
                if (!link.isRemoved) number += 1
                return <Item link={link} number={number} hasFocus={link.url === focus} />
              }}
            />
          </ul>
          {hidden(listing)}
          <Offers offers={offers} />
          {/* What has been shown is not asked again. */}
          <Each of={offers} show={({ written }) => <input type="hidden" name="offered" value={attribute(written)} />} />
          <Remarks list={listing.list} />
        </>
      )}
    </div>
  )
}

interface SummaryProps {
  listing: Listing
  /** What the page says already. */
  told: string | undefined
  /** Whether the page is the answer to asking for the link. */
  isAsked: boolean
  /** What the button says that publishes. */
  button: string
}

/** Also of what is no field, which the types do not know. */
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
    <div class="summary">
      <p class={['found', error !== null && 'over']} tabindex="-1" {...(isAsked ? FOCUSED : {})} safe>
        {found.join(', ')}
      </p>
      {isAsked ? <p class="hint" safe>{`Nothing is published yet: check the list, then press “${button}”.`}</p> : ''}
      {error === null || error === told ? (
        ''
      ) : (
        <p class="error" safe>
          {error}
        </p>
      )}
      {parts > 1 ? (
        <button type="submit" name="do" value="split" class="small" safe>
          {`Create ${parts} bundles instead`}
        </button>
      ) : (
        ''
      )}
      {unlisted > 0 ? <p class="hint" safe>{`Listed here are the first ${links.length}.`}</p> : ''}
    </div>
  )
}

/** The texts that were found, by which those that were typed are known. */
function hidden({ found }: Listing): JSX.Element {
  return (
    <Each
      of={ABOUT_NAMES}
      show={(name) => <input type="hidden" name={`found-${name}`} value={attribute(found[name])} data-for={name} />}
    />
  )
}
