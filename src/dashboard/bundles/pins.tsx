/** @jsxImportSource @kitajs/html */

import { listAddress } from '../../../views/dashboard/bundles/address.ts'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { Pin } from '../../../views/dashboard/parts/pin.tsx'
import { pinBundle, unpinBundle } from '../../bundles/operations.ts'
import { Listing } from '../../bundles/shapes.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { validate } from '../../operations/validate.ts'
import type { Outcome, Screen } from '../parts/screens.tsx'
import { run, type Visit } from '../parts/visit.ts'
import { listQuery } from './list-query.ts'

/** Pinning a bundle for oneself, and unpinning it: from a row of the list, or from a page of the bundle. */
export const pinScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/pin',
    post: async (visit, form) => shown(visit, form, await run(visit, pinBundle, { slug: visit.params.slug })),
  },
  {
    path: '/dashboard/links/:slug/unpin',
    post: async (visit, form) => shown(visit, form, await run(visit, unpinBundle, { slug: visit.params.slug })),
  },
]

function shown(visit: Visit, form: URLSearchParams, { slug, isPinned }: { slug: string; isPinned: boolean }): Outcome {
  const notice = isPinned ? 'pinned' : 'unpinned'
  const back = form.get('back')
  if (back !== null) {
    const listing = validate(Listing, listQuery({ ...visit, query: new URLSearchParams(back) }))
    // Where the bundle was may be another page now.
    return { to: withFlash(listAddress({ ...listing, offset: 0 }), notice) }
  }
  // What is typed on the page stays.
  if (htmxTarget(visit.request) === 'pin') return { part: <Pin slug={slug} isPinned={isPinned} /> }
  return { to: withFlash(`/dashboard/links/${slug}`, notice) }
}
