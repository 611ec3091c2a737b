/** @jsxImportSource @kitajs/html */

import type { Outside } from '../../src/launcher/times.ts'
import { hostsOf } from '../parts/destination.ts'
import { Each } from '../parts/each.tsx'
import { ExactTime, fromNow } from '../parts/exact-time.tsx'

/** Tells the owner that viewers do not see the launcher now. */
export function OwnersNotice({ outside }: { outside: Outside }): JSX.Element {
  const isBefore = outside.kind === 'before'
  const at = isBefore ? outside.opensAt : outside.closesAt
  return (
    <p class="outside">
      <strong safe>{`${isBefore ? 'Opens' : 'Closed'} ${fromNow(at)}`}</strong>
      {', on '}
      <ExactTime at={at} />
      {isBefore ? '. Until then, only its owner sees this page.' : '. Only its owner still sees this page.'}
    </p>
  )
}

/** A warning on unclaimed bundles, for which nobody is responsible: lists the hosts before anything opens. */
export function UnclaimedWarning({ urls }: { urls: readonly string[] }): JSX.Element {
  return (
    <p class="unclaimed">
      <span>Made without an account. These links go to </span>
      <Each
        of={hostsOf(urls)}
        show={(host, index) => (
          <>
            {index === 0 ? '' : ', '}
            <strong dir="ltr" safe>
              {host}
            </strong>
          </>
        )}
      />
      .
    </p>
  )
}
