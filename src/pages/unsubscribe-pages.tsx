/** @jsxImportSource @kitajs/html */

import { Elysia } from 'elysia'
import { NoUnsubscriptionPage, UnsubscribePage } from '../../views/account/unsubscribe.tsx'
import type { Service } from '../core/service.ts'
import { type Page, page } from '../http/page.ts'
import { readerOf, setSwitches, unsubscriptionIn } from '../mail/switches.ts'
import { siteFor } from './site.ts'

/**
 * The link that stops emails of a kind. A GET only shows it, because scanners and previews follow links too. A POST stops
 * them, whoever sends it: mail programs do by themselves (RFC 8058), without cookies, and follow no redirect.
 */
export function unsubscribePages(service: Service) {
  return new Elysia()
    .get('/unsubscribe/:token', ({ request, params: { token } }) => show(request, service, token, false))
    .post('/unsubscribe/:token', ({ request, params: { token } }) => show(request, service, token, true), {
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
