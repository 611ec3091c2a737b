/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

interface PinProps {
  slug: string
  isPinned: boolean
  /** The query of the list that it is in; undefined on the bundle's own pages, which stay as they are. */
  back?: string
}

/** The entry of a bundle's menu that pins it for the visitor, or unpins it. */
export function Pin({ slug, isPinned, back }: PinProps): JSX.Element {
  const action = `/dashboard/links/${slug}/${isPinned ? 'unpin' : 'pin'}`
  const isOwnPage = back === undefined
  return (
    <form
      id={isOwnPage ? 'pin' : undefined}
      method="post"
      action={action}
      hx-post={isOwnPage ? action : undefined}
      hx-target={isOwnPage ? 'this' : undefined}
      hx-swap={isOwnPage ? 'outerHTML' : undefined}
    >
      {isOwnPage ? '' : <input type="hidden" name="back" value={attribute(back)} />}
      <button type="submit" id={isOwnPage ? 'pin-button' : undefined} class="item">
        {isPinned ? 'Unpin' : 'Pin to top of your list'}
      </button>
    </form>
  )
}
