/** @jsxImportSource @kitajs/html */

import { browserName, capitalised } from '../../../src/core/words.ts'
import { attribute } from '../../parts/layout.tsx'
import { When } from '../parts/time.tsx'

/** A browser that is signed in; what its User-Agent does not tell is null. */
export interface Browser {
  id: string
  createdAt: number
  isThis: boolean
  device: string | null
  os: string | null
  browser: string | null
}

/** One of the browsers that are signed in, and the way to sign it out. */
export function BrowserRow({ browser }: { browser: Browser }): JSX.Element {
  const { id, createdAt, isThis, device } = browser
  const name = browserName(browser) ?? 'Unknown browser'
  return (
    <li class="row person">
      <div class="what">
        <span class="name" safe>
          {name}
        </span>
        <span class="hint">
          <span safe>{device === null ? 'Signed in ' : `${capitalised(device)}, signed in `}</span>
          <When at={createdAt} />
        </span>
      </div>
      {isThis ? (
        <span class="tag good">This browser</span>
      ) : (
        <form method="post" action={`/dashboard/settings/sessions/${id}/end`}>
          <button type="submit" class="quiet" aria-label={attribute(`Sign out ${name}`)}>
            Sign out
          </button>
        </form>
      )}
    </li>
  )
}
