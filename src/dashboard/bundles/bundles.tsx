/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { BundleList } from '../../../views/dashboard/bundles/bundle-list.tsx'
import { BundlesView } from '../../../views/dashboard/bundles/bundles.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { deleteBundle, listBundles, restoreBundle } from '../../bundles/operations.ts'
import { Listing } from '../../bundles/shapes.ts'
import { validate } from '../../core/validate.ts'
import { queryFields, typed } from '../../http/fields.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { historyUse } from '../../plans/history.ts'
import type { Screen } from '../screens.tsx'
import { run } from '../visit.ts'

/** What the list is asked by, beside `q`. */
const ASKED = ['limit', 'offset', 'sort', 'state'] as const

/** The list of bundles, and what is done to one from there. */
export const bundleScreens: readonly Screen[] = [
  {
    path: '/dashboard',
    async get(visit) {
      const { q, ...fields } = queryFields(visit.query)
      const search = typeof q === 'string' && q.trim() !== '' ? { q: q.trim() } : {}
      // Links to a page bring all sorts of fields along (utm_source, what was said): its own alone are read.
      const own = Object.fromEntries(
        ASKED.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
      )
      const input = { sort: 'updated', ...typed(listBundles.input, own), ...search }
      const listed = await run(visit, listBundles, input)
      const { store, config } = visit.service
      const [total, history] = await Promise.all([listed.count(), historyUse(store, listed.subject, config)])
      const props = {
        site: visit.site,
        listed,
        total,
        asked: validate(Listing, input),
        history,
        idempotencyKey: randomUUID(),
      }
      if (htmxTarget(visit.request) === 'list') return { part: <BundleList {...props} /> }
      return { section: 'bundles', title: 'Bundles', view: <BundlesView {...props} /> }
    },
  },
  {
    path: '/dashboard/links/:slug/delete',
    async post(visit) {
      const { slug } = await run(visit, deleteBundle, { slug: visit.params.slug })
      return { to: withFlash('/dashboard', 'deleted', { slug }) }
    },
  },
  {
    path: '/dashboard/links/:slug/restore',
    async post(visit) {
      const { slug } = await run(visit, restoreBundle, { slug: visit.params.slug })
      return { to: withFlash(`/dashboard/links/${slug}`, 'restored') }
    },
  },
]
