/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { type Page, page } from '../../../src/http/respond.ts'
import { readerOf, setSwitches, unsubscriptionIn } from '../../../src/mail/switches.ts'
import { siteFor } from '../../parts/visitor.ts'
import { NoUnsubscriptionPage, UnsubscribePage } from './view.tsx'

/**
 * The link that stops emails of a kind. A GET only shows the page, because scanners and previews follow links too. Any POST stops
 * them: mail programs send it by themselves (RFC 8058), without cookies, and follow no redirect.
 */
export function unsubscribePages(service: Service) {
  return new Elysia()
    .get(routes.account.unsubscribe.path, ({ request, params: { token } }) => show(request, service, token, false))
    .post(routes.account.unsubscribe.path, ({ request, params: { token } }) => show(request, service, token, true), {
      parse: 'none',
    })
}

async function show(request: Request, service: Service, token: string, isPressed: boolean): Promise<Page> {
  const { store, config } = service
  const site = await siteFor(request, service)
  const found = unsubscriptionIn(token, config)
  if (found === null) return page(<NoUnsubscriptionPage site={site} why="invalid" />, 404)
  const { userId, kind } = found
  if (isPressed) await setSwitches(store, userId, { [kind]: false })
  const reader = await readerOf(store, userId)
  if (reader === null) return page(<NoUnsubscriptionPage site={site} why="gone" />, 410)
  return page(<UnsubscribePage site={site} email={reader.email} kind={kind} isDone={!reader.mails[kind]} />)
}
