/** @jsxImportSource @kitajs/html */
import { randomUUID } from 'node:crypto'
import { EXAMPLES } from '../../../src/bundles/content/examples.ts'
import { Listing } from '../../../src/bundles/content/shapes.ts'
import {
  createBundle,
  deleteBundle,
  listBundles,
  pinBundle,
  restoreBundle,
  unpinBundle,
} from '../../../src/bundles/edit/operations.ts'
import { historyUse } from '../../../src/bundles/edit/stored.ts'
import { type Broken, brokenIn, hasBroken } from '../../../src/bundles/links/health.ts'
import { tagCounts } from '../../../src/bundles/links/tag-counts.ts'
import type { Listed } from '../../../src/bundles/list/listing.ts'
import { unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { htmxTarget, seeOther } from '../../../src/http/respond.ts'
import { cookieLine } from '../../../src/identity/sessions.ts'
import { recentCounts } from '../../../src/insights/recent.ts'
import { validate } from '../../../src/operations/validate.ts'
import { countsOpen } from '../../../src/proposals/stored.ts'
import { withFlash } from '../../parts/messages.ts'
import { MOST_TILES } from '../../parts/tile.tsx'
import { Pin } from '../parts/bundle-frame.tsx'
import { HistoryNotice } from '../parts/flash.tsx'
import { iconsFor, type Outcome, run, type Screen, type Visit } from '../parts/screens.tsx'
import { BundleList } from './bundle-list.tsx'
import { listAddress, listQuery, sortCookie } from './list-query.ts'
import { BundlesView, Folders } from './view.tsx'

/** The list of bundles, and its actions on one bundle. */
export const bundleScreens: readonly Screen[] = [
  {
    path: routes.bundles.list.path,
    async get(visit) {
      const input = listQuery(visit)
      const listed = await run(visit, listBundles, input)
      const only = await onlyHit(visit, listed)
      if (only !== null) return { to: routes.launcher.page.href({ slug: only.slug }) }
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
        proposals: (await visit.site.badges()).toReview,
        recent,
        open,
        broken,
        icons,
        idempotencyKey: randomUUID(),
        keptDays: config.keepDeletedMs / DAY_MS,
      }
      if (isPart) return { part: <BundleList {...props} /> }
      const aside = <Folders tags={tags} isAnyBroken={isAnyBroken} listing={props.listing} />
      const notices = [<HistoryNotice history={history} />]
      return { section: 'bundles', title: 'Bundles', view: <BundlesView {...props} />, aside, notices }
    },
  },
  {
    path: routes.bundles.sort.path,
    async post({ request, service }, form) {
      const listing = validate(Listing, listQuery({ query: form, request }))
      const cookie = cookieLine(sortCookie(listing.sort, service.config))
      return seeOther(listAddress(listing), new Response(null, { headers: { 'set-cookie': cookie } }))
    },
  },
  {
    path: routes.bundle.delete.path,
    async post(visit) {
      const { slug } = await run(visit, deleteBundle, { slug: visit.params.slug })
      return { to: withFlash(routes.bundles.list.href(), 'deleted', { slug }) }
    },
  },
  {
    path: routes.bundle.restore.path,
    async post(visit) {
      const { slug } = await run(visit, restoreBundle, { slug: visit.params.slug })
      return { to: withFlash(routes.bundle.edit.href({ slug }), 'restored') }
    },
  },
]

/** The result where links are not checked. */
const NOTHING_BROKEN: ReadonlyMap<number, Broken> = new Map()

/** The only hit of a search from the address bar (`open=1`), which is opened directly; null otherwise. */
async function onlyHit({ query }: Visit, { bundles, count }: Listed): Promise<Listed['bundles'][number] | null> {
  const [first, ...others] = bundles
  if (query.get('open') !== '1' || first === undefined || others.length > 0 || first.deletedAt !== null) return null
  return (query.get('q') ?? '').trim() !== '' && (await count()) === 1 ? first : null
}

/** Creates a bundle from an example, which can be edited like any other. */
export const exampleScreens: readonly Screen[] = [
  {
    path: routes.bundles.examples.path,
    async post(visit, form) {
      const name = form.get('example') ?? ''
      if (!isExample(name)) throw unknownUrl()
      const idempotencyKey = form.get('idempotencyKey') || null
      const { slug } = await run(visit, createBundle, { ...EXAMPLES[name], source: 'web' }, { idempotencyKey })
      return { to: withFlash(routes.bundle.edit.href({ slug }), 'exampleCopied') }
    },
  },
]

type ExampleName = keyof typeof EXAMPLES

function isExample(name: string): name is ExampleName {
  return Object.hasOwn(EXAMPLES, name)
}

/** Pins and unpins a bundle, for the visitor or for everybody: from a row of the list, or from a page of the bundle. */
export const pinScreens: readonly Screen[] = [
  {
    path: routes.bundle.pin.path,
    post: async (visit, form) => shown(visit, form, await run(visit, pinBundle, pinIn(visit, form))),
  },
  {
    path: routes.bundle.unpin.path,
    post: async (visit, form) => shown(visit, form, await run(visit, unpinBundle, pinIn(visit, form))),
  },
]

function pinIn({ params: { slug } }: Visit, form: URLSearchParams) {
  return form.has('forEveryone') ? { slug, forEveryone: true } : { slug }
}

function shown(visit: Visit, form: URLSearchParams, { slug, isPinned }: { slug: string; isPinned: boolean }): Outcome {
  const forEveryone = form.has('forEveryone')
  const notice = !isPinned ? 'unpinned' : forEveryone ? 'pinnedForEveryone' : 'pinned'
  const back = form.get('back')
  if (back !== null) {
    const listing = validate(Listing, listQuery({ ...visit, query: new URLSearchParams(back) }))
    // The bundle may now be on another page.
    return { to: withFlash(listAddress({ ...listing, offset: 0 }), notice) }
  }
  // Only the button is replaced, so that typed text on the page stays.
  const target = htmxTarget(visit.request)
  if (target === 'pin' || target === 'pin-for-everyone')
    return { part: <Pin slug={slug} isPinned={isPinned} forEveryone={forEveryone} /> }
  return { to: withFlash(routes.bundle.edit.href({ slug }), notice) }
}
