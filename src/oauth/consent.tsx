/** @jsxImportSource @kitajs/html */

import { BackToAppPage, ConsentPage, RefusedAppPage } from '../../views/account/consent.tsx'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { clientNetwork } from '../http/client.ts'
import { type Page, page } from '../http/page.ts'
import { gone, type Session, type Subject } from '../identity/caller.ts'
import { type App, isOnThisComputer, redirectHost } from '../keys/apps.ts'
import { refuseFull } from '../keys/caps.ts'
import { countForPerson } from '../limits/count-requests.ts'
import { subjectExists } from '../plans/owners.ts'
import { type Ask, askIn, type Sent, unanswerable } from './asking.ts'
import type { ClientDocuments } from './client-documents.ts'
import { siteOf, subjectIn, unproven } from './deciding.tsx'
import { consentTo } from './library.ts'
import { inQuery, isDocument, Refused } from './parameters.ts'

/** A request for consent by somebody who may give it. */
interface Visit {
  service: Service
  ask: Ask
  session: Session
}

/** The page where a person decides whether an app may act for them. It changes nothing. */
export async function consentPage(request: Request, service: Service, documents: ClientDocuments) {
  const visit = await visitIn(request, service, documents)
  if (!isVisit(visit)) return visit
  return visit.ask.refusal === null ? show(visit) : refuse(visit, visit.ask.refusal)
}

/** The decision, from that page only. */
export async function decide(request: Request, service: Service, documents: ClientDocuments): Promise<Page | Response> {
  const visit = await visitIn(request, service, documents)
  if (!isVisit(visit)) return visit
  if (visit.ask.refusal !== null) return refuse(visit, visit.ask.refusal)
  const form = await readForm(request)
  if (form.get('decision') !== 'connect') {
    return back(visit, { error: 'access_denied', error_description: 'The user did not connect the app.' })
  }
  const subject = await subjectIn(form, service, visit.session)
  if (subject === null) return show(visit, new Problem('FORBIDDEN', 'Choose whom the app acts for.'))
  try {
    await countForPerson(service, 'writes', visit.session.userId)
    await refuseFull(service.store, subject)
  } catch (error) {
    if (error instanceof Problem) return show(visit, error)
    throw error
  }
  return connect(visit, subject)
}

/** @returns a page or a redirect for somebody who may not decide yet. */
async function visitIn(
  request: Request,
  service: Service,
  documents: ClientDocuments,
): Promise<Visit | Page | Response> {
  const sent = sentIn(request)
  const session = await service.readSession(request.headers)
  const missing = () => unproven(service, sent.path, session)
  // Nobody makes this service request an address without saying who they are.
  const early = sent.needsDocument ? await missing() : null
  if (early !== null) return early
  const ask = await askIn(sent, session, service, documents, clientNetwork(request))
  // Who is not signed in is sent nowhere for it (RFC 9700, 4.11.2).
  if (session === null && ask.refusal !== null) throw unanswerable(ask.refusal)
  return (await missing()) ?? { service, ask, session: session! }
}

function isVisit(visit: Visit | Page | Response): visit is Visit {
  return 'ask' in visit
}

async function connect(visit: Visit, subject: Subject): Promise<Page> {
  const { service, ask, session } = visit
  const { userId } = session
  const consent = { userId, subject, audience: ask.audience }
  const code = await consentTo(ask.parameters, ask.app, consent, service).catch(async (error) => {
    await refuseFull(service.store, subject)
    throw (await subjectExists(service.store, subject)) ? error : gone()
  })
  const { accountMails } = await service.accounts()
  await accountMails.notify(userId, { kind: 'appConnected', name: ask.app.name, actsFor: subject.type })
  return back(visit, { code })
}

async function show({ service, ask, session }: Visit, problem?: Problem): Promise<Page> {
  const { app, scopes, audience, path } = ask
  const site = await siteOf(service, session)
  const shown = { site, app: asking(ask, app), scopes, audience, path, error: problem?.userMessage }
  return page(<ConsentPage {...shown} />, problem?.status ?? 200, problem?.headers)
}

function asking({ redirectUri }: Ask, { name, publisher }: App) {
  const host = redirectHost(redirectUri)
  return { name, publisher, host, isOnThisComputer: isOnThisComputer(host) }
}

/**
 * Says that a request cannot be granted, and leads back to the app with the reason. Not by itself: anybody can register an app,
 * and so make this service send people anywhere. Only a program on the user’s own computer, which waits for an answer, is told
 * at once (RFC 9700, 4.11.2).
 */
async function refuse({ service, ask, session }: Visit, refusal: Refused): Promise<Page> {
  const { error, message } = refusal
  const app = asking(ask, ask.app)
  const url = answerTo(ask, { error, error_description: `${message}.` }, service)
  const site = await siteOf(service, session)
  const headers: Record<string, string> = url.protocol === 'http:' ? { refresh: `0;url=${url.href}` } : {}
  const view = <RefusedAppPage site={site} url={url.href} app={app} message={unanswerable(refusal).userMessage} />
  return page(view, 400, { ...headers, 'referrer-policy': 'no-referrer' })
}

/**
 * Sends the browser back to the app. By a page that refreshes, not a redirect: `form-action` also applies to redirects,
 * and the app may redirect on.
 */
async function back({ service, ask, session }: Visit, answer: Record<string, string>): Promise<Page> {
  const url = answerTo(ask, answer, service)
  const site = await siteOf(service, session)
  const view = <BackToAppPage site={site} url={url.href} app={asking(ask, ask.app)} isConnected={'code' in answer} />
  return page(view, 200, { refresh: `0;url=${url.href}`, 'referrer-policy': 'no-referrer' })
}

function answerTo({ redirectUri, parameters }: Ask, answer: Record<string, string>, { config }: Service): URL {
  const url = new URL(redirectUri)
  // Says which server answers, so that an app of several cannot be made to mix them up (RFC 9207).
  const { state } = parameters
  const sent = { ...answer, ...(state === undefined ? {} : { state }), iss: config.origin }
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value)
  return url
}

/** @throws Problem BAD_REQUEST if one is repeated. */
function sentIn(request: Request): Sent {
  try {
    const parameters = inQuery(request)
    // With the characters that a path to continue at may have.
    const query = new URLSearchParams(parameters).toString().replaceAll('*', '%2A')
    return { parameters, path: `/oauth/authorize?${query}`, needsDocument: isDocument(parameters.client_id ?? '') }
  } catch (error) {
    throw error instanceof Refused ? unanswerable(error) : error
  }
}
