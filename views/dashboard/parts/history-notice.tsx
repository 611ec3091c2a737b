/** @jsxImportSource @kitajs/html */

import type { HistoryUse } from '../../../src/bundles/history-cap.ts'
import { mebibytes, PLAN_NAMES } from '../../../src/core/words.ts'

/** The notice is shown above this share of the cap. */
const NEARLY_FULL = 0.8

/** Warns in good time that space for versions is running out. */
export function HistoryNotice({ history: { plan, bytes, max } }: { history: HistoryUse }): JSX.Element {
  if (bytes < max * NEARLY_FULL) return ''
  const percent = Math.min(100, Math.floor((bytes / max) * 100))
  return (
    <p class="alert" safe>
      {`You’ve used ${percent}% of the ${mebibytes(max)} of version history on the ${PLAN_NAMES[plan]} plan. Every edit adds to it. Once it’s full, you can’t create or edit bundles. ${plan === 'free' ? 'Upgrade to Pro for more.' : 'Ask your administrator for more room.'}`}
    </p>
  )
}
