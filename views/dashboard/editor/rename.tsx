/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { getBundle } from '../../../src/bundles/edit/operations.ts'
import { proposedSlug, renameBundle, tryRename, typedSlug } from '../../../src/bundles/edit/rename.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { json } from '../../../src/http/respond.ts'
import { requireRole } from '../../../src/identity/caller.ts'
import { claimedPath } from '../../account/parts/account-forms.ts'
import { besideSlug, FREE, LinkName, OLD_STAYS } from '../../parts/link-name.tsx'
import { withFlash } from '../../parts/messages.ts'
import { roleOver } from '../../parts/visitor.ts'
import { type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { Head } from '../parts/shell.tsx'

/** Changes the end of a bundle's link, for its form on any page; a page of its own shows what was refused. */
export const renameScreens: readonly Screen[] = [
  {
    path: routes.bundle.rename.path,
    async get(visit) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      requireRole(roleOver(bundle, visit.site.user), 'admin')
      return renamePage(visit, bundle, visit.query)
    },
    async post(visit, form) {
      const { slug = '' } = visit.params
      const typed = form.get('proposed') ?? form.get('newSlug') ?? ''
      const input = { slug, newSlug: typedSlug(typed) }
      if (form.get('do') === 'check') {
        const refused = await refusalOf(visit, input)
        return json({ isFree: refused === null, says: refused === null ? FREE : besideSlug(refused) }, 200, {
          'cache-control': 'no-store',
        })
      }
      const before = await run(visit, getBundle, { slug })
      const renamed = await resultOrProblem(() => run(visit, renameBundle, input))
      if (renamed instanceof Problem) return renamePage(visit, before, form, typed, renamed)
      return { to: backTo(form, renamed, before.slug) }
    },
  },
]

/** Why a bundle cannot have a slug, for the line below its field; null if it can. @throws Problem for any other refusal. */
export async function refusalOf(visit: Visit, input: { slug: string; newSlug: string }): Promise<Problem | null> {
  const tried = await resultOrProblem(() => run(visit, tryRename, input))
  return tried instanceof Problem ? tried : null
}

async function renamePage(
  visit: Visit,
  bundle: StoredBundle,
  sent: URLSearchParams,
  typed?: string,
  problem?: Problem,
): Promise<Outcome> {
  const title = 'Change the link'
  const view = (
    <>
      <Head title={title} lede={OLD_STAYS} />
      <div class="panel slim">
        <LinkName
          site={visit.site}
          bundle={bundle}
          back={sent.get('back') ?? ''}
          proposed={await proposedSlug(visit.service.store, bundle)}
          typed={typed}
          error={problem && besideSlug(problem)}
        />
      </div>
    </>
  )
  return { section: 'bundles', title, view, problem }
}

/** The page of the form, with what it says of the change; the editor for any other text, which anyone can send. */
function backTo(form: URLSearchParams, { slug }: StoredBundle, was: string): string {
  const back = form.get('back') ?? ''
  const { start } = routes.made
  const isResult = back.startsWith(start) && /^[\w-]+$/.test(back.slice(start.length))
  if (isResult) return slug === was ? back : `${back}?was=${was}`
  if (back === routes.account.claims.href()) return claimedPath(slug) + (slug === was ? '' : `&was=${was}`)
  const editor = routes.bundle.edit.href({ slug })
  return slug === was ? withFlash(editor, 'unchanged') : withFlash(editor, 'renamed', { slug, was })
}
