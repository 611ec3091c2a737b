/** @jsxImportSource @kitajs/html */

import { noOrganization } from '../../../src/accounts/organizations.ts'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import { Listing } from '../../../src/bundles/content/shapes.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { getBundle } from '../../../src/bundles/edit/operations.ts'
import { list } from '../../../src/bundles/list/listing.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import { requireRole, type Subject, signedIn } from '../../../src/identity/caller.ts'
import { validate } from '../../../src/operations/validate.ts'
import { transferBundle } from '../../../src/transfers/transfer.ts'
import { withFlash } from '../../parts/messages.ts'
import { roleOver } from '../../parts/visitor.ts'
import { receiversOf } from '../parts/bundle-frame.tsx'
import { type Outcome, resultOrProblem, run, type Screen, type Visit } from '../parts/screens.tsx'
import { listAddress, listQuery } from './list-query.ts'
import { MoveInView, MoveView, moveTitle } from './move-view.tsx'
import { chosenIn, each, SkippedView, skippedPage } from './several.tsx'

/** The page that asks for the new owner of several bundles; its query names them. */
export const BULK_MOVE = routes.bundles.bulkMove.path

/** Moving one bundle, several from the list, or the visitor's own into an organisation. */
export const moveScreens: readonly Screen[] = [
  {
    path: routes.bundle.move.path,
    async get(visit) {
      return movePage(visit, await run(visit, getBundle, { slug: visit.params.slug }))
    },
    async post(visit, form) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const { slug, owner } = bundle
      const moved = await resultOrProblem(() =>
        run(visit, transferBundle, { slug, to: receiverIn(visit, form, owner) }),
      )
      if (moved instanceof Problem) return movePage(visit, bundle, { chosenReceiver: form.get('to'), problem: moved })
      return { to: withFlash(routes.bundle.edit.href({ slug }), 'moved') }
    },
  },
  {
    path: BULK_MOVE,
    get: async (visit) =>
      visit.query.has('slug') ? moveSeveralPage(visit, visit.query) : { to: routes.bundles.list.href() },
    async post(visit, form) {
      const slugs = chosenIn(form)
      const owner = signedIn(visit.context.caller).subject
      const to = await resultOrProblem(async () => receiverIn(visit, form, owner))
      if (to instanceof Problem) return moveSeveralPage(visit, form, to)
      const listing = validate(Listing, listQuery({ ...visit, query: new URLSearchParams(form.get('back') ?? '') }))
      // Moved bundles leave the list, so the current page may no longer exist.
      return moveAll(visit, { slugs, to, page: listAddress({ ...listing, offset: 0 }) })
    },
  },
  {
    path: routes.organizations.move.path,
    get: (visit) => moveInPage(visit),
    async post(visit, form) {
      const { id } = receivingOf(visit)
      if (!form.has('slug')) return moveInPage(visit, new Problem('BAD_REQUEST', 'Select at least one bundle.'))
      const to: Subject = { type: 'organization', organizationId: id }
      return moveAll(visit, { slugs: chosenIn(form), to, page: routes.organizations.organization.href({ id }) })
    },
  },
]

/**
 * The new owner that a form names.
 * @throws Problem BAD_REQUEST if it names none.
 */
function receiverIn({ site }: Visit, form: URLSearchParams, owner: Subject): Subject {
  const found = receiversOf(owner, site.user).find(({ value }) => value === form.get('to'))
  if (found === undefined) throw new Problem('BAD_REQUEST', 'Choose where to move it.')
  return found.subject
}

interface Moves {
  slugs: readonly string[]
  to: Subject
  /** The page to return to. */
  page: string
}

/** Moves each bundle that can be moved, and reports why the others cannot. */
async function moveAll(visit: Visit, { slugs, to, page }: Moves): Promise<Outcome> {
  const { skipped, done } = await each(slugs, (slug) => run(visit, transferBundle, { slug, to }))
  if (skipped.length > 0) return skippedPage(skipped, <SkippedView skipped={skipped} done={done.length} />)
  return { to: withFlash(page, 'movedAll') }
}

/** A choice that was refused. */
interface Refused {
  chosenReceiver: string | null
  problem: Problem
}

function movePage({ site }: Visit, bundle: StoredBundle, refused?: Refused): Outcome {
  const problem = refused?.problem
  requireRole(roleOver(bundle, site.user), 'admin')
  const page = routes.bundle.edit.href({ slug: bundle.slug })
  const receivers = receiversOf(bundle.owner, site.user)
  const view = (
    <MoveView
      what={bundle}
      receivers={receivers}
      action={`${page}/move`}
      back={page}
      chosenReceiver={refused?.chosenReceiver ?? null}
      error={problem?.userMessage}
    />
  )
  return { section: 'bundles', title: moveTitle(bundle), view, problem }
}

/** @param form names the bundles, and the query of the list to return to. */
function moveSeveralPage({ site, context }: Visit, form: URLSearchParams, problem?: Problem): Outcome {
  const query = form.get('back') ?? ''
  const what = { slugs: chosenIn(form), query }
  const view = (
    <MoveView
      what={what}
      receivers={receiversOf(signedIn(context.caller).subject, site.user)}
      action={BULK_MOVE}
      back={query === '' ? routes.bundles.list.href() : `${routes.bundles.list.href()}?${query}`}
      chosenReceiver={null}
      error={problem?.userMessage}
    />
  )
  return { section: 'bundles', title: moveTitle(what), view, problem }
}

async function moveInPage(visit: Visit, problem?: Problem): Promise<Outcome> {
  const organization = receivingOf(visit)
  const { service, session, context } = visit
  const self = { ...signedIn(context.caller), subject: { type: 'user', userId: session.userId } as const }
  const { bundles, hasMore } = await list(service.store, self, validate(Listing, { limit: BOUNDS.page }))
  const view = (
    <MoveInView organization={organization} bundles={bundles} hasMore={hasMore} error={problem?.userMessage} />
  )
  return { section: 'organizations', title: `Move bundles to ${organization.name}`, view, problem }
}

/**
 * The organisation of the path, in which the visitor may create bundles.
 * @throws Problem NOT_FOUND, FORBIDDEN.
 */
function receivingOf({ site, params }: Visit) {
  const found = site.user.organizations.find(({ id }) => id === params.id)
  if (found === undefined) throw noOrganization()
  requireRole(found.role, 'editor')
  return found
}
