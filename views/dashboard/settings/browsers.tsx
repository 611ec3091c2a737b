/** @jsxImportSource @kitajs/html */

import { routes } from '../../../src/core/routes.ts'
import { browserLabel, capitalised } from '../../../src/core/words.ts'
import { Form } from '../parts/panel.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'

/** A signed-in browser; null for details that its User-Agent does not reveal. */
export interface Browser {
  id: string
  createdAt: number
  isThis: boolean
  device: string | null
  os: string | null
  browser: string | null
}

/** A signed-in browser, with a button that signs it out. */
export function BrowserRow({ browser }: { browser: Browser }): JSX.Element {
  const { id, createdAt, isThis, device } = browser
  const name = browserLabel(browser) ?? 'Unknown browser'
  return (
    <li class="row person">
      <div class="what">
        <span class="name" safe>
          {name}
        </span>
        <span class="hint">
          <span safe>{device === null ? 'Signed in ' : `${capitalised(device)}, signed in `}</span>
          <RelativeTime at={createdAt} />
        </span>
      </div>
      {isThis ? (
        <span class="tag good">This browser</span>
      ) : (
        <Form
          action={routes.settings.endSession.href({ id })}
          button="Sign out"
          look="quiet"
          label={`Sign out ${name}`}
        />
      )}
    </li>
  )
}
