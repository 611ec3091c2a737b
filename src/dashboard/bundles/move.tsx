/** @jsxImportSource @kitajs/html */

import { MoveInView, MoveView } from '../../../views/dashboard/bundles/move.tsx'
import { SkippedView } from '../../../views/dashboard/bundles/skipped.tsx'
import { withFlash } from '../../../views/dashboard/parts/flash.tsx'
import { receiversOf } from '../../../views/dashboard/parts/receivers.ts'
import { roleOver } from '../../../views/dashboard/parts/role.ts'
import { headingOf } from '../../../views/launcher/launcher.tsx'
import { organizationFor } from '../../accounts/organizations.ts'
import { BOUNDS } from '../../bundles/bounds.ts'
import { list } from '../../bundles/listing.ts'
import { getBundle } from '../../bundles/operations.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { Listing } from '../../bundles/shapes.ts'
import { Problem } from '../../core/problem.ts'
import type { Subject } from '../../identity/caller.ts'
import { signedIn } from '../../identity/caller.ts'
import { requireRole } from '../../identity/roles.ts'
import { validate } from '../../operations/validate.ts'
import { transferBundle } from '../../transfers/operations.ts'
import type { Outcome, Screen } from '../parts/screens.tsx'
import { resultOrProblem, run, type Visit } from '../parts/visit.ts'
import { chosenIn, each, skippedPage } from './several.tsx'

/** Moving one bundle, or one’s own into an organisation; several of the list are moved with the other bulk actions. */
export const moveScreens: readonly Screen[] = [
  {
    path: '/dashboard/links/:slug/move',
    async get(visit) {
      return movePage(visit, await run(visit, getBundle, { slug: visit.params.slug }))
    },
    async post(visit, form) {
      const bundle = await run(visit, getBundle, { slug: visit.params.slug })
      const to = receiverIn(visit, form, bundle.owner)
      const moved = await resultOrProblem(() => run(visit, transferBundle, { slug: bundle.slug, to }))
      if (moved instanceof Problem) return movePage(visit, bundle, moved)
      return { to: withFlash(`/dashboard/links/${bundle.slug}`, 'moved') }
    },
  },
  {
    path: '/dashboard/organizations/:id/move',
    get: (visit) => moveInPage(visit),
    async post(visit, form) {
      const { id } = await organizationOf(visit)
      if (!form.has('slug')) return moveInPage(visit, new Problem('BAD_REQUEST', 'Select at least one bundle.'))
      const to: Subject = { type: 'organization', organizationId: id }
      const { skipped, done } = await each(chosenIn(form), (slug) => run(visit, transferBundle, { slug, to }))
      if (skipped.length > 0) return skippedPage(skipped, <SkippedView skipped={skipped} done={done.length} />)
      return { to: withFlash(`/dashboard/organizations/${id}`, 'movedAll') }
    },
  },
]

/**
 * Whom a form moves bundles of an owner to.
 * @throws Problem BAD_REQUEST if it does not say.
 */
export function receiverIn({ site }: Visit, form: URLSearchParams, owner: Subject): Subject {
  const found = receiversOf(owner, site.user).find(({ value }) => value === form.get('to'))
  if (found === undefined) throw new Problem('BAD_REQUEST', 'Choose where to move it, then try again.')
  return found.subject
}

function movePage({ site }: Visit, bundle: StoredBundle, problem?: Problem): Outcome {
  requireRole(roleOver(bundle, site.user), 'admin')
  const page = `/dashboard/links/${bundle.slug}`
  const what = headingOf(bundle)
  const receivers = receiversOf(bundle.owner, site.user)
  if (receivers.length === 0)
    throw new Problem('NOT_FOUND', 'Create an organisation first, or ask to become an editor of one.')
  const view = (
    <MoveView
      what={what}
      slugs={[]}
      receivers={receivers}
      action={`${page}/move`}
      back={page}
      error={problem?.userMessage}
    />
  )
  return { section: 'bundles', title: `Move ${what}`, view, problem }
}

async function moveInPage(visit: Visit, problem?: Problem): Promise<Outcome> {
  const organization = await organizationOf(visit)
  const { service, session, context } = visit
  const self = { ...signedIn(context.caller), subject: { type: 'user', userId: session.userId } as const }
  const { bundles, hasMore } = await list(service.store, self, validate(Listing, { limit: BOUNDS.page }))
  const view = (
    <MoveInView organization={organization} bundles={bundles} hasMore={hasMore} error={problem?.userMessage} />
  )
  return { section: 'organizations', title: `Move bundles to ${organization.name}`, view, problem }
}

async function organizationOf({ service, session, params }: Visit) {
  const found = await organizationFor(service.store, session.userId, params.id ?? '')
  if (found === null) throw new Problem('NOT_FOUND', 'This organisation doesn’t exist, or you’re not a member of it.')
  requireRole(found.role, 'editor')
  return found
}
