/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { listAddress } from '../../../views/dashboard/bundles/address.ts'
import { BundleList } from '../../../views/dashboard/bundles/bundle-list.tsx'
import { BundlesView } from '../../../views/dashboard/bundles/bundles.tsx'
import { Folders } from '../../../views/dashboard/bundles/folders.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { MOST_TILES } from '../../../views/dashboard/parts/tiles.tsx'
import { EXAMPLES } from '../../bundles/examples.ts'
import { type Broken, brokenIn, hasBroken } from '../../bundles/health.ts'
import { historyUse } from '../../bundles/history-cap.ts'
import type { Listed } from '../../bundles/listing.ts'
import { createBundle, deleteBundle, listBundles, restoreBundle } from '../../bundles/operations.ts'
import { Listing } from '../../bundles/shapes.ts'
import { tagCounts } from '../../bundles/tag-counts.ts'
import { unknownUrl } from '../../core/problem.ts'
import { DAY_MS } from '../../core/time.ts'
import { htmxTarget } from '../../http/htmx.ts'
import { seeOther } from '../../http/respond.ts'
import { cookieLine } from '../../identity/cookies.ts'
import { recentCounts } from '../../insights/recent.ts'
import { validate } from '../../operations/validate.ts'
import { countsOpen } from '../../proposals/stored.ts'
import { iconsFor } from '../parts/icons.ts'
import type { Screen } from '../parts/screens.tsx'
import { run, type Visit } from '../parts/visit.ts'
import { listQuery, sortCookie } from './list-query.ts'

/** The list of bundles, and its actions on one bundle. */
export const bundleScreens: readonly Screen[] = [
  {
    path: '/dashboard',
    async get(visit) {
      const input = listQuery(visit)
      const listed = await run(visit, listBundles, input)
      const only = await onlyHit(visit, listed)
      if (only !== null) return { to: `/l/${only.slug}` }
      const { store, config } = visit.service
      const ids = listed.bundles.map(({ id }) => id)
      const isPart = htmxTarget(visit.request) === 'list'
      const [total, history, recent, open, broken, icons, tags, isAnyBroken] = await Promise.all([
        listed.count(),
        historyUse(store, listed.subject, config),
        recentCounts(store, ids, Date.now()),
        countsOpen(store, ids),
        config.linkChecks ? brokenIn(store, ids) : NOTHING_BROKEN,
        iconsFor(visit, ...listed.bundles.map(({ urls, icons }) => ({ urls: urls.slice(0, MOST_TILES), icons }))),
        isPart ? [] : tagCounts(store, listed.subject, visit.session.userId),
        !isPart && config.linkChecks && hasBroken(store, listed.subject),
      ])
      const props = {
        site: visit.site,
        listed,
        total,
        listing: validate(Listing, input),
        history,
        proposals: visit.site.toReview,
        recent,
        open,
        broken,
        icons,
        idempotencyKey: randomUUID(),
        keptDays: config.keepDeletedMs / DAY_MS,
      }
      if (isPart) return { part: <BundleList {...props} /> }
      const aside = <Folders tags={tags} isAnyBroken={isAnyBroken} listing={props.listing} />
      return { section: 'bundles', title: 'Bundles', view: <BundlesView {...props} />, aside }
    },
  },
  {
    path: '/dashboard/sort',
    async post({ request, service }, form) {
      const listing = validate(Listing, listQuery({ query: form, request }))
      const cookie = cookieLine(sortCookie(listing.sort, service.config))
      return seeOther(listAddress(listing), new Response(null, { headers: { 'set-cookie': cookie } }))
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

/** Where nothing is looked at. */
const NOTHING_BROKEN: ReadonlyMap<number, Broken> = new Map()

/** What a search of the address bar (`open=1`) is to open: its only hit; null otherwise. */
async function onlyHit({ query }: Visit, { bundles, count }: Listed): Promise<Listed['bundles'][number] | null> {
  const [first, ...others] = bundles
  if (query.get('open') !== '1' || first === undefined || others.length > 0 || first.deletedAt !== null) return null
  return (query.get('q') ?? '').trim() !== '' && (await count()) === 1 ? first : null
}

/** Makes a bundle of an example, which is then edited like any other. */
export const exampleScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/examples',
    async post(visit, form) {
      const name = form.get('example') ?? ''
      if (!isExample(name)) throw unknownUrl()
      const idempotencyKey = form.get('idempotencyKey') || null
      const { slug } = await run(visit, createBundle, { ...EXAMPLES[name], source: 'web' }, { idempotencyKey })
      return { to: withFlash(`/dashboard/links/${slug}`, 'exampleCopied') }
    },
  },
]

type ExampleName = keyof typeof EXAMPLES

function isExample(name: string): name is ExampleName {
  return Object.hasOwn(EXAMPLES, name)
}
