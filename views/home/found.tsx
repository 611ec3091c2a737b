/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../src/bundles/bounds.ts'
import { count, tooMany } from '../../src/core/words.ts'
import type { FoundList, Remark } from '../../src/imports/import.ts'

/** How many remarks are listed; the rest are only counted. */
const MAX_REMARKS = 10

/** What was found in a pasted text: how many links, what was left out and why, and a way out where there are too many. */
export function FoundLinks({ list }: { list: FoundList }): JSX.Element {
  const { title, links, skipped, changed, counts } = list
  const remarks = [...skipped, ...changed].sort((one, other) => one.line - other.line)
  const isEmpty = links.length === 0 && remarks.length === 0
  if (isEmpty) return ''
  const listed = remarks.slice(0, MAX_REMARKS)
  const rest = counts.skipped + counts.changed - listed.length
  return (
    <>
      <p class={['found', links.length > BOUNDS.urls ? 'over' : '']} data-title={title ?? ''} safe>
        {summary(list)}
      </p>
      {links.length > BOUNDS.urls ? (
        <p class="error" safe>
          {tooMany(links.length, BOUNDS.urls)}
        </p>
      ) : (
        ''
      )}
      {remarks.length === 0 ? (
        ''
      ) : (
        <details class="more">
          <summary>Show what was left out or changed</summary>
          <ul class="remark-list">
            {
              listed.map((remark) => (
                <li>
                  <RemarkLine remark={remark} />
                </li>
              )) as 'safe'[]
            }
            {rest > 0 ? <li>{`And ${rest} more.` as 'safe'}</li> : ''}
          </ul>
        </details>
      )}
    </>
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

/** `7 links found, 1 line skipped, 1 duplicate left out`. */
function summary({ links, counts }: Pick<FoundList, 'links' | 'counts'>): string {
  return [`${count(links.length, 'link')} found`, ...leftOut(counts)].join(', ')
}

/** What of a text did not become a link as it stood there. */
export function leftOut({ skipped, changed, doubles }: FoundList['counts']): string[] {
  const lines = skipped - doubles
  return [
    ...(lines > 0 ? [`${count(lines, 'line')} skipped`] : []),
    ...(doubles > 0 ? [`${count(doubles, 'duplicate')} left out`] : []),
    ...(changed > 0 ? [`${count(changed, 'line')} changed`] : []),
  ]
}
