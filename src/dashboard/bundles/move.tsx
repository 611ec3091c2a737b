/** @jsxImportSource @kitajs/html */

import { listAddress } from '../../../views/dashboard/bundles/address.ts'
import { MoveInView, MoveView, moveTitle } from '../../../views/dashboard/bundles/move.tsx'
import { SkippedView } from '../../../views/dashboard/bundles/skipped.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { receiversOf } from '../../../views/dashboard/parts/receivers.ts'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { noOrganization } from '../../accounts/organizations.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { list } from '../../bundles/listing.ts'
import { getBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { Listing } from '../../bundles/shapes.ts'
import { Problem } from '../../core/problem.ts'
import { type Subject, signedIn } from '../../identity/caller.ts'
import { requireRole } from '../../identity/roles.ts'
import { validate } from '../../operations/validate.ts'
import { transferBundle } from '../../transfers/operations.ts'
import type { Outcome, Screen } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { listQuery } from './list-query.ts'
import { chosenIn, each, skippedPage } from './several.ts'

/** The page that asks where several bundles move; its query names them. */
export const BULK_MOVE = '/dashboard/bulk/move'

/** Moving one bundle, several of the list, or one’s own into an organisation. */
export const moveScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/move',
    async get(visit) {
      return movePage(visit, await run(visit, getBundle, { slug: visit.params.slug }))
    },
    async post(visit, form) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const { slug, owner } = bundle
      const moved = await resultOrProblem(() =>
        run(visit, transferBundle, { slug, to: receiverIn(visit, form, owner) }),
      )
      if (moved instanceof Problem) return movePage(visit, bundle, moved)
      return { to: withFlash(`/dashboard/links/${slug}`, 'moved') }
    },
  },
  {
    path: BULK_MOVE,
    get: async (visit) => (visit.query.has('slug') ? moveSeveralPage(visit, visit.query) : { to: '/dashboard' }),
    async post(visit, form) {
      const slugs = chosenIn(form)
      const owner = signedIn(visit.context.caller).subject
      const to = await resultOrProblem(async () => receiverIn(visit, form, owner))
      if (to instanceof Problem) return moveSeveralPage(visit, form, to)
      const listing = validate(Listing, listQuery({ ...visit, query: new URLSearchParams(form.get('back') ?? '') }))
      // What has moved leaves the list, so the current page may no longer exist.
      return moveAll(visit, { slugs, to, page: listAddress({ ...listing, offset: 0 }) })
    },
  },
  {
    path: '/dashboard/organizations/:id/move',
    get: (visit) => moveInPage(visit),
    async post(visit, form) {
      const { id } = receivingOf(visit)
      if (!form.has('slug')) return moveInPage(visit, new Problem('BAD_REQUEST', 'Select at least one bundle.'))
      const to: Subject = { type: 'organization', organizationId: id }
      return moveAll(visit, { slugs: chosenIn(form), to, page: `/dashboard/organizations/${id}` })
    },
  },
]

/**
 * Whom a form moves bundles of an owner to.
 * @throws Problem BAD_REQUEST if it does not say.
 */
function receiverIn({ site }: Visit, form: URLSearchParams, owner: Subject): Subject {
  const found = receiversOf(owner, site.user).find(({ value }) => value === form.get('to'))
  if (found === undefined) throw new Problem('BAD_REQUEST', 'Choose where to move it.')
  return found.subject
}

interface Moves {
  slugs: readonly string[]
  to: Subject
  /** The page that follows. */
  page: string
}

/** Moves each bundle that can be moved, and says of the others why they cannot. */
async function moveAll(visit: Visit, { slugs, to, page }: Moves): Promise<Outcome> {
  const { skipped, done } = await each(slugs, (slug) => run(visit, transferBundle, { slug, to }))
  if (skipped.length > 0) return skippedPage(skipped, <SkippedView skipped={skipped} done={done.length} />)
  return { to: withFlash(page, 'movedAll') }
}

function movePage({ site }: Visit, bundle: StoredBundle, problem?: Problem): Outcome {
  requireRole(roleOver(bundle, site.user), 'admin')
  const page = `/dashboard/links/${bundle.slug}`
  const receivers = receiversOf(bundle.owner, site.user)
  const view = (
    <MoveView what={bundle} receivers={receivers} action={`${page}/move`} back={page} error={problem?.userMessage} />
  )
  return { section: 'bundles', title: moveTitle(bundle), view, problem }
}

/** @param form names the bundles, and the query of the list to go back to. */
function moveSeveralPage({ site, context }: Visit, form: URLSearchParams, problem?: Problem): Outcome {
  const query = form.get('back') ?? ''
  const what = { slugs: chosenIn(form), query }
  const view = (
    <MoveView
      what={what}
      receivers={receiversOf(signedIn(context.caller).subject, site.user)}
      action={BULK_MOVE}
      back={query === '' ? '/dashboard' : `/dashboard?${query}`}
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
