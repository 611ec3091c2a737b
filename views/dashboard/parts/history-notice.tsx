/** @jsxImportSource @kitajs/html */

import { mebibytes } from '../../../src/core/words.ts'
import type { HistoryUse } from '../../../src/plans/history.ts'

/** Said from here on. */
const NEARLY_FULL = 0.8

/** Tells that there will soon be no room for versions, while there is time to do something about it. */
export function HistoryNotice({ history: { plan, bytes, max } }: { history: HistoryUse }): JSX.Element {
  if (bytes < max * NEARLY_FULL) return ''
  const percent = Math.min(100, Math.floor((bytes / max) * 100))
  return (
    <p class="alert" safe>
      {`${percent}% of the ${mebibytes(max)} of version history that the plan ${plan} keeps is used. Every edit adds to it; once it is full, nothing can be edited or made. ${plan === 'free' ? 'The plan pro keeps more.' : 'Ask whoever runs this server for more.'}`}
    </p>
  )
}
