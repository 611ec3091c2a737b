/** @jsxImportSource @kitajs/html */

import { ConfirmBeforeConnectingPage } from '../../views/account/consent.tsx'
import type { Service } from '../core/service.ts'
import { type Page, page } from '../http/page.ts'
import { seeOther } from '../http/respond.ts'
import type { Session, Subject } from '../identity/caller.ts'
import { organizationsOf } from '../identity/members.ts'
import { isRecent } from '../identity/proof.ts'
import { plainSite, signedInUser } from '../pages/site.ts'

// Who may decide about an app, and for whom; the same in a browser and for a device.

/**
 * The page or redirect for somebody who may not decide yet; null for anybody who may.
 * @param path where to continue.
 */
export async function unproven(
  service: Service,
  path: string,
  session: Session | null,
): Promise<Page | Response | null> {
  if (session === null) return seeOther(`/sign-in?next=${encodeURIComponent(path)}`)
  if (!session.emailVerified) {
    return page(<ConfirmBeforeConnectingPage site={await siteOf(service, session)} path={path} />, 403)
  }
  return isRecent(session.signedInAt) ? null : seeOther(`/sign-in?as=again&next=${encodeURIComponent(path)}`)
}

/** What the pages know about the service and who decides. */
export async function siteOf(service: Service, session: Session) {
  return { ...plainSite(service.config), user: await signedInUser(session, service) }
}

/** Whom the app is to act for; null for an organisation that the visitor is no admin of. */
export async function subjectIn(
  form: URLSearchParams,
  { store }: Service,
  { userId }: Session,
): Promise<Subject | null> {
  const organizationId = form.get('subject')
  if (organizationId === '') return { type: 'user', userId }
  const organizations = await organizationsOf(store, userId)
  const isAdmin = organizations.some(({ id, role }) => id === organizationId && role === 'admin')
  return isAdmin && organizationId !== null ? { type: 'organization', organizationId } : null
}
