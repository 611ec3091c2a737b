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

/** Hosts beyond this number are only counted, as long as there are several more: every tab says its own. */
const MOST_HOSTS = 3

/** A warning on unclaimed bundles, for which nobody is responsible: says where they lead before anything opens. */
export function UnclaimedWarning({ urls }: { urls: readonly string[] }): JSX.Element {
  const hosts = hostsOf(urls)
  const shown = hosts.length <= MOST_HOSTS + 1 ? hosts : hosts.slice(0, MOST_HOSTS)
  const more = hosts.length - shown.length
  return (
    <p class="unclaimed">
      <span>Made without an account. These links go to </span>
      <Each
        of={shown}
        show={(host, index) => (
          <>
            {index === 0 ? '' : ', '}
            <strong dir="ltr" safe>
              {host}
            </strong>
          </>
        )}
      />
      {more === 0 ? '' : <span safe>{` and ${more} more`}</span>}.
    </p>
  )
}
