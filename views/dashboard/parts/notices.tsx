/** @jsxImportSource @kitajs/html */

import { ConfirmNotice, type SignedInUser } from '../../parts/layout.tsx'
import { type FlashName, MESSAGES } from '../../parts/messages.ts'
import { Flash } from './flash.tsx'

/**
 * The notices that stand on a page, the most urgent first; empty ones are left out. `within`: the content itself begins with one,
 * such as an error of its form or a conflict.
 */
export type PageNotices = readonly JSX.Element[] | 'within'

export interface NoticesProps {
  site: { user: SignedInUser }
  path: string
  query: URLSearchParams
  /** The end of the message about the last action. */
  told?: string | undefined
  notices?: PageNotices | undefined
}

/**
 * The one notice above the content of a page: two at once are not read. First comes what the content says itself, because it
 * waits for an answer; then the result of the last action; then what stands on the page; last what stands on all pages. A notice
 * that the script brings takes its place (`dashboard.js`).
 */
export function Notices({ site, path, query, told, notices = [] }: NoticesProps): JSX.Element {
  const { user } = site
  const all =
    notices === 'within'
      ? []
      : [
          // The next step of a new account is to confirm its address.
          query.get('notice') === ('signedUp' satisfies FlashName) && (
            <ConfirmNotice user={user} back={path} after={MESSAGES.signedUp} />
          ),
          <Flash query={query} acting={user.acting?.name ?? null} told={told} />,
          ...notices,
          <ConfirmNotice user={user} back={path} />,
        ]
  const safeNotice = all.find((notice) => notice !== '' && notice !== false) || ''
  return <div id="messages">{safeNotice}</div>
}
