/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import { BOUNDS } from '../../src/bundles/content/content.ts'
import type { Said } from '../../src/bundles/list/found.ts'
import { routes } from '../../src/core/routes.ts'
import { count, tooMany } from '../../src/core/words.ts'
import type { FoundList, Remark } from '../../src/imports/plan.ts'
import { sentenceOf } from '../../src/imports/said.ts'
import { attribute, Each } from './layout.tsx'

/** How many remarks are listed; the others are only counted. */
const MAX_REMARKS = 10

/** The links in a pasted text: how many there are, what was left out and why, and whether they are too many. */
export function FoundLinks({ list }: { list: FoundList }): JSX.Element {
  const { links, counts } = list
  if (links.length === 0 && counts.skipped + counts.changed === 0) return ''
  const isOver = links.length > BOUNDS.urls
  return (
    <>
      <p class={['found', isOver && 'over']} safe>
        {[`${count(links.length, 'link')} found`, ...skippedSummary(counts)].join(', ')}
      </p>
      {isOver && (
        <p class="error" safe>
          {tooMany(links.length, BOUNDS.urls)}
        </p>
      )}
      <Remarks list={list} />
    </>
  )
}

/** The same summary once the links have been added to a list. */
export function AddedLinks({ list }: { list: FoundList }): JSX.Element {
  const { links, title, counts } = list
  if (links.length === 0) return ''
  return (
    <>
      <p class="found" data-title={attribute(title ?? '')} safe>
        {[`${count(links.length, 'link')} added`, ...skippedSummary(counts)].join(', ')}
      </p>
      <Remarks list={list} />
    </>
  )
}

/** The lines that were left out or changed. */
export function Remarks({ list: { skipped, changed, counts } }: { list: FoundList }): JSX.Element {
  const remarks = [...skipped, ...changed].sort((one, other) => one.line - other.line)
  if (remarks.length === 0) return ''
  const listed = remarks.slice(0, MAX_REMARKS)
  const rest = counts.skipped + counts.changed - listed.length
  return (
    <details class="more">
      <summary>What we left out</summary>
      <ul class="remark-list">
        <Each
          of={listed}
          show={(remark) => (
            <li>
              <RemarkLine remark={remark} />
            </li>
          )}
        />
        {rest > 0 && <li safe>{`And ${rest} more.`}</li>}
      </ul>
    </details>
  )
}

function RemarkLine({ remark: { line, text, reason } }: { remark: Remark }): JSX.Element {
  return (
    <>
      <span safe>{`Line ${line} ${reason}: `}</span>
      <span dir="auto" safe>
        {text}
      </span>
    </>
  )
}

/** Counts of the skipped and changed lines: `1 line without a link`, `1 duplicate left out`. */
export function skippedSummary({ skipped, changed, duplicates }: FoundList['counts']): string[] {
  const lines = skipped - duplicates
  return [
    ...(lines > 0 ? [`${count(lines, 'line')} without a link`] : []),
    ...(duplicates > 0 ? [`${count(duplicates, 'duplicate')} left out`] : []),
    ...(changed > 0 ? [`${count(changed, 'line')} changed`] : []),
  ]
}

interface SaidProps {
  said: readonly Said[]
  /** Whether the address was restored to the one in the text. */
  isKept?: boolean
  /** A control that switches between the address in the text and the corrected one. */
  undo: Children
}

/** Remarks about a link, on a line below it. */
export function SaidLine({ said, isKept = false, undo }: SaidProps): JSX.Element {
  // Instead, the row offers to fill in `%s`.
  const told = said.filter(({ reason }) => reason !== 'keyword')
  const others = told.filter(({ was }) => was === undefined)
  const text = isKept ? ['Kept as it was written.', sentenceOf(others)].join(' ').trim() : sentenceOf(told)
  if (text === '') return ''
  return (
    <p class="hint said">
      <span safe>{text}</span>
      {undo}
    </p>
  )
}

/** The address in the text, if it was corrected. */
export function writtenIn(said: readonly Said[]): string | undefined {
  return said.find(({ was }) => was !== undefined)?.was
}

/** Says how many titles in a list are suggestions, with a button to take none. Its script, page-titles.js, requests them. */
export function SuggestedTitles(): JSX.Element {
  return (
    <p class="suggested-titles" id="suggested-titles" role="status" data-titles={routes.foundTitles.href()} hidden>
      <span></span>{' '}
      <button type="button" class="quiet small">
        Take none
      </button>
    </p>
  )
}
