/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../src/bundles/bounds.ts'
import { count, tooMany } from '../../src/core/words.ts'
import type { FoundList, Remark } from '../../src/imports/plan.ts'
import { Each } from '../parts/each.tsx'
import { attribute } from '../parts/layout.tsx'

/** How many remarks are listed; the rest are only counted. */
const MAX_REMARKS = 10

/** The result of reading a pasted text: how many links, what was left out and why, and whether there are too many. */
export function FoundLinks({ list }: { list: FoundList }): JSX.Element {
  const { links, counts } = list
  if (links.length === 0 && counts.skipped + counts.changed === 0) return ''
  const isOver = links.length > BOUNDS.urls
  return (
    <>
      <p class={['found', isOver && 'over']} safe>
        {[`${count(links.length, 'link')} found`, ...skippedSummary(counts)].join(', ')}
      </p>
      {isOver ? (
        <p class="error" safe>
          {tooMany(links.length, BOUNDS.urls)}
        </p>
      ) : (
        ''
      )}
      <Remarks list={list} />
    </>
  )
}

/** The same of a text whose links have been taken into a list. */
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

/** What was left out or changed, line by line. */
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
        {rest > 0 ? <li safe>{`And ${rest} more.`}</li> : ''}
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

/** Counts of the lines not taken as they were: `1 line without a link`, `1 duplicate left out`. */
export function skippedSummary({ skipped, changed, duplicates }: FoundList['counts']): string[] {
  const lines = skipped - duplicates
  return [
    ...(lines > 0 ? [`${count(lines, 'line')} without a link`] : []),
    ...(duplicates > 0 ? [`${count(duplicates, 'duplicate')} left out`] : []),
    ...(changed > 0 ? [`${count(changed, 'line')} changed`] : []),
  ]
}
