/** @jsxImportSource @kitajs/html */

import { listAddress } from '../../../views/dashboard/bundles/address.ts'
import { type Left, LeftView } from '../../../views/dashboard/bundles/left.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { BOUNDS } from '../../bundles/bounds.ts'
import { deleteBundle, getBundle, restoreBundle, updateBundle } from '../../bundles/operations.ts'
import { toBundle } from '../../bundles/present.ts'
import { Listing } from '../../bundles/shapes.ts'
import { Problem } from '../../core/problem.ts'
import { validate } from '../../core/validate.ts'
import { text } from '../../http/respond.ts'
import type { Screen } from '../screens.tsx'
import { run, type Visit } from '../visit.ts'
import { askedIn } from './asked.ts'

/** What can be done to every chosen bundle, and how it is told; each goes through the operation for one. */
const CHANGES = {
  tag: { notice: 'taggedAll', change: addTag },
  delete: { notice: 'deletedAll', change: (visit: Visit, slug: string) => run(visit, deleteBundle, { slug }) },
  restore: { notice: 'restoredAll', change: (visit: Visit, slug: string) => run(visit, restoreBundle, { slug }) },
} as const

/** What is done to several bundles of the list at once: one plain form. */
export const bulkScreens: readonly Screen[] = [
  {
    path: '/dashboard/bulk',
    async post(visit, form) {
      const slugs = chosenIn(form)
      const what = form.get('do') ?? ''
      if (what === 'export') return exported(visit, slugs)
      if (!Object.hasOwn(CHANGES, what)) throw new Problem('BAD_REQUEST', 'Choose what to do with the bundles.')
      const { notice, change } = CHANGES[what as keyof typeof CHANGES]
      const tag = what === 'tag' ? tagIn(form) : ''
      const { left, done } = await each<unknown>(slugs, (slug) => change(visit, slug, tag))
      if (left.length > 0) return leftView(left, done.length)
      const query = new URLSearchParams(form.get('back') ?? '')
      const asked = validate(Listing, askedIn({ query, request: visit.request }))
      // What is deleted or back is no longer there, and its page may be gone with it.
      const to = listAddress(what === 'tag' ? asked : { ...asked, offset: 0 })
      return { to: withFlash(to, notice, { slugs: slugs.join() }) }
    },
  },
]

function chosenIn(form: URLSearchParams): string[] {
  const slugs = [...new Set(form.getAll('slug'))]
  if (slugs.length === 0) throw new Problem('BAD_REQUEST', 'Choose at least one bundle, then try again.')
  if (slugs.length > BOUNDS.page) throw new Problem('BAD_REQUEST', `Choose at most ${BOUNDS.page} bundles at once.`)
  return slugs
}

function tagIn(form: URLSearchParams): string {
  const tag = form.get('tag')?.trim() ?? ''
  if (tag === '') throw new Problem('BAD_REQUEST', 'Type the tag to add, then try again.')
  if ([...tag].length > BOUNDS.tag) throw new Problem('BAD_REQUEST', `A tag has at most ${BOUNDS.tag} characters.`)
  return tag
}

/** One after another, as one person's requests would come. What refuses one bundle leaves the others alone. */
async function each<Out>(slugs: readonly string[], act: (slug: string) => Promise<Out>) {
  const [left, done]: [Left[], Out[]] = [[], []]
  for (const slug of slugs) {
    try {
      done.push(await act(slug))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      left.push({ slug, problem: error })
    }
  }
  return { left, done }
}

/** Adds a tag to every link of a bundle; one that has it on each of them is left as it is, without a new version. */
async function addTag(visit: Visit, slug: string, tag: string): Promise<void> {
  const { urlMetadata, versionNumber } = await run(visit, getBundle, { slug })
  const tagged = urlMetadata.map((link) => ({ ...link, tags: [...new Set([...(link.tags ?? []), tag])] }))
  if (tagged.every(({ tags }, index) => tags.length === urlMetadata[index]?.tags?.length)) return
  const full = tagged.findIndex(({ tags }) => tags.length > BOUNDS.tags)
  if (full >= 0) throw new Problem('BAD_REQUEST', `Link ${full + 1} already has ${BOUNDS.tags} tags.`)
  await run(visit, updateBundle, { slug, urlMetadata: tagged }, { expectedVersion: versionNumber })
}

/** The chosen bundles as one file, which Import reads. */
async function exported(visit: Visit, slugs: readonly string[]) {
  const { left, done } = await each(slugs, (slug) => run(visit, getBundle, { slug }))
  if (left.length > 0) return leftView(left, 0)
  const headers = {
    'content-disposition': 'attachment; filename="bundles.json"',
    'cache-control': 'private, no-store',
  }
  const file = `${JSON.stringify({ bundles: done.map(toBundle) }, null, 2)}\n`
  return text(visit.request, file, { type: 'application/json', headers })
}

function leftView(left: readonly Left[], done: number) {
  const title = 'Not everything worked'
  return {
    section: 'bundles' as const,
    title,
    view: <LeftView title={title} left={left} done={done} />,
    problem: left[0]?.problem,
  }
}
