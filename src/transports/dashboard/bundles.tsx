import { Html } from '@elysiajs/html'
import { BundleList, BundlesView } from '../../../views/dashboard/bundles.tsx'
import { saying } from '../../../views/dashboard/said.tsx'
import { deleteBundle, listBundles, restoreBundle } from '../../bundles/operations.ts'
import { Listing } from '../../bundles/shapes.ts'
import { validate } from '../../validate.ts'
import { queryFields, typed } from '../fields.ts'
import { htmxTarget } from '../htmx.ts'
import type { Screen } from './screens.tsx'
import { run } from './visit.ts'

/** The list of bundles, and what is done to one from there. */
export const bundleScreens: readonly Screen[] = [
  {
    path: '/dashboard',
    async get(visit) {
      const { said: _, slug: __, q, ...fields } = queryFields(visit.query)
      const search = typeof q === 'string' && q.trim() !== '' ? { q: q.trim() } : {}
      const input = { sort: 'updated', ...typed(listBundles.input, fields), ...search }
      const listed = await run(visit, listBundles, input)
      const props = { site: visit.site, listed, asked: validate(Listing, input) }
      if (htmxTarget(visit.request) === 'list') return { part: <BundleList {...props} /> }
      return { section: 'bundles', title: 'Bundles', view: <BundlesView {...props} /> }
    },
  },
  {
    path: '/dashboard/links/:slug/delete',
    async post(visit) {
      const { slug } = await run(visit, deleteBundle, { slug: visit.params.slug })
      return { to: saying('/dashboard', 'deleted', { slug }) }
    },
  },
  {
    path: '/dashboard/links/:slug/restore',
    async post(visit) {
      const { slug } = await run(visit, restoreBundle, { slug: visit.params.slug })
      return { to: saying(`/dashboard/links/${slug}`, 'restored') }
    },
  },
]
