/** @jsxImportSource @kitajs/html */

import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { Listing } from '../../../src/bundles/content/shapes.ts'
import { toBundle } from '../../../src/bundles/edit/bundles.ts'
import { deleteBundle, getBundle, restoreBundle, updateBundle } from '../../../src/bundles/edit/operations.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { JSON_TYPE, text } from '../../../src/http/respond.ts'
import { validate } from '../../../src/operations/validate.ts'
import { withFlash } from '../../parts/messages.ts'
import { run, type Screen, type Visit } from '../parts/screens.tsx'
import { listAddress, listQuery } from './list-query.ts'
import { BULK_MOVE } from './move.tsx'
import { chosenIn, each, NotExportedView, SkippedView, skippedPage } from './several.tsx'

/** The bulk actions, with the notice that reports each; each calls the operation for a single bundle. */
const CHANGES = {
  tag: { notice: 'taggedAll', change: addTag },
  delete: { notice: 'deletedAll', change: (visit: Visit, slug: string) => run(visit, deleteBundle, { slug }) },
  restore: { notice: 'restoredAll', change: (visit: Visit, slug: string) => run(visit, restoreBundle, { slug }) },
} as const

/** Actions on several bundles in the list: one plain form. */
export const bulkScreens: readonly Screen[] = [
  {
    path: routes.bundles.bulk.path,
    async post(visit, form) {
      const slugs = chosenIn(form)
      const what = form.get('do') ?? ''
      if (what === 'export') return exported(visit, slugs)
      if (what === 'move') {
        const query = new URLSearchParams({ back: form.get('back') ?? '' })
        for (const slug of slugs) query.append('slug', slug)
        return { to: `${BULK_MOVE}?${query}` }
      }
      if (!Object.hasOwn(CHANGES, what)) throw new Problem('BAD_REQUEST', 'Choose what to do with the bundles.')
      const { notice, change } = CHANGES[what as keyof typeof CHANGES]
      const tag = what === 'tag' ? tagIn(form) : ''
      const { skipped, done } = await each<unknown>(slugs, (slug) => change(visit, slug, tag))
      if (skipped.length > 0) return skippedPage(skipped, <SkippedView skipped={skipped} done={done.length} />)
      const query = new URLSearchParams(form.get('back') ?? '')
      const listing = validate(Listing, listQuery({ query, request: visit.request }))
      // Deleted or restored bundles leave the list, so the current page may no longer exist.
      const to = listAddress(what === 'tag' ? listing : { ...listing, offset: 0 })
      return { to: withFlash(to, notice, { slugs: slugs.join() }) }
    },
  },
]

function tagIn(form: URLSearchParams): string {
  const tag = form.get('tag')?.trim() ?? ''
  if (tag === '') throw new Problem('BAD_REQUEST', 'Type the tag to add, then try again.')
  if ([...tag].length > BOUNDS.tag) throw new Problem('BAD_REQUEST', `A tag has at most ${BOUNDS.tag} characters.`)
  return tag
}

/** Adds a tag to every link of a bundle. Creates no version if all links have it already. */
async function addTag(visit: Visit, slug: string, tag: string): Promise<void> {
  const { urlMetadata, versionNumber } = await run(visit, getBundle, { slug })
  const tagged = urlMetadata.map((link) => ({ ...link, tags: [...new Set([...(link.tags ?? []), tag])] }))
  if (tagged.every(({ tags }, index) => tags.length === urlMetadata[index]?.tags?.length)) return
  const full = tagged.findIndex(({ tags }) => tags.length > BOUNDS.tags)
  if (full >= 0) throw new Problem('BAD_REQUEST', `Link ${full + 1} already has ${BOUNDS.tags} tags.`)
  await run(visit, updateBundle, { slug, urlMetadata: tagged }, { expectedVersion: versionNumber })
}

/** The selected bundles as a file for Import; if some cannot be read, a page that offers the others. */
async function exported(visit: Visit, slugs: readonly string[]) {
  const { skipped, done } = await each(slugs, (slug) => run(visit, getBundle, { slug }))
  if (skipped.length > 0)
    return skippedPage(skipped, <NotExportedView skipped={skipped} others={done.map(({ slug }) => slug)} />)
  const headers = {
    'content-disposition': 'attachment; filename="bundles.json"',
    'cache-control': 'private, no-store',
  }
  const file = `${JSON.stringify({ bundles: done.map((bundle) => toBundle(bundle, visit.service.config)) }, null, 2)}\n`
  return text(visit.request, file, { type: JSON_TYPE, headers })
}
