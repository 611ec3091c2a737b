/** @jsxImportSource @kitajs/html */
import type { Audience } from '../../db/rights.ts'
import {
  BackToAppPage,
  ConfirmBeforeConnectingPage,
  ConsentPage,
  RefusedAppPage,
} from '../../views/account/consent/view.tsx'
import { signedInSite } from '../../views/parts/visitor.ts'
import { Problem } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { clientNetwork } from '../http/request.ts'
import { type Page, page, seeOther } from '../http/respond.ts'
import { gone, type Scope, type Session, type Subject } from '../identity/caller.ts'
import { organizationsOf } from '../identity/members.ts'
import { isRecent } from '../identity/proof.ts'
import { type App, appOf, extensionIn, isOnThisComputer, mayRedirectTo, redirectHost } from '../keys/apps.ts'
import { refuseFull } from '../keys/caps.ts'
import { countForPerson } from '../limits/rate-limits.ts'
import { subjectExists } from '../plans/owners.ts'
import type { ClientDocuments } from './client-documents.ts'
import { checkScopes, consentTo } from './library.ts'
import { inQuery, isDocument, type Parameters, Refused } from './parameters.ts'
import { audienceOf } from './resources.ts'

/** A request for consent, and the session of a person who may give it. */
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

/** Handles the decision that a person makes on that page. */
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

/** @returns the visit; a page or a redirect for somebody who may not decide yet. */
async function visitIn(
  request: Request,
  service: Service,
  documents: ClientDocuments,
): Promise<Visit | Page | Response> {
  const sent = sentIn(request)
  const session = await service.readSession(request.headers)
  const missing = () => unproven(service, sent.path, session)
  // Only a person who is signed in makes this service request a document.
  const early = sent.needsDocument ? await missing() : null
  if (early !== null) return early
  const ask = await askIn(sent, session, service, documents, clientNetwork(request))
  // A visitor who is not signed in is not led back to the app (RFC 9700, 4.11.2).
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
  const site = await signedInSite(session, service)
  const shown = { site, app: asking(ask, app), scopes, audience, path, error: problem?.userMessage }
  return page(<ConsentPage {...shown} />, problem?.status ?? 200, problem?.headers)
}

function asking({ redirectUri }: Ask, { name, publisher }: App) {
  const host = redirectHost(redirectUri)
  return { name, publisher, host, extension: extensionIn(host), isOnThisComputer: isOnThisComputer(host) }
}

/**
 * Shows that a request cannot be granted, with a link back to the app that carries the reason. There is no redirect: anybody
 * can register an app, and so make this service send people anywhere. Only a program on the user’s own computer, which waits
 * for an answer, is told at once (RFC 9700, 4.11.2).
 */
async function refuse({ service, ask, session }: Visit, refusal: Refused): Promise<Page> {
  const { error, message } = refusal
  const app = asking(ask, ask.app)
  const url = answerTo(ask, { error, error_description: `${message}.` }, service)
  const site = await signedInSite(session, service)
  const headers: Record<string, string> = url.protocol === 'http:' ? { refresh: `0;url=${url.href}` } : {}
  const view = <RefusedAppPage site={site} url={url.href} app={app} message={unanswerable(refusal).userMessage} />
  return page(view, 400, { ...headers, 'referrer-policy': 'no-referrer' })
}

/**
 * Sends the browser back to the app, by a page that refreshes, not a redirect: `form-action` also applies to redirects, and the
 * app may redirect on.
 */
async function back({ service, ask, session }: Visit, answer: Record<string, string>): Promise<Page> {
  const url = answerTo(ask, answer, service)
  const site = await signedInSite(session, service)
  const view = <BackToAppPage site={site} url={url.href} app={asking(ask, ask.app)} isConnected={'code' in answer} />
  return page(view, 200, { refresh: `0;url=${url.href}`, 'referrer-policy': 'no-referrer' })
}

function answerTo({ redirectUri, parameters }: Ask, answer: Record<string, string>, { config }: Service): URL {
  const url = new URL(redirectUri)
  // Names the answering server, so that an app of several cannot be made to mix them up (RFC 9207).
  const { state } = parameters
  const sent = { ...answer, ...(state === undefined ? {} : { state }), iss: config.origin }
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value)
  return url
}

/** The parameters of a request. @throws Problem BAD_REQUEST if one is repeated. */
function sentIn(request: Request): Sent {
  try {
    const parameters = inQuery(request)
    // Only characters that a path to continue at may have.
    const query = new URLSearchParams(parameters).toString().replaceAll('*', '%2A')
    return {
      parameters,
      path: `${routes.account.authorize.href()}?${query}`,
      needsDocument: isDocument(parameters.client_id ?? ''),
    }
  } catch (error) {
    throw error instanceof Refused ? unanswerable(error) : error
  }
}

// The request of an app, in the address of the page where a person decides.

/** A request for consent from a known app, to which a browser may be sent back. */
interface Ask {
  parameters: Parameters
  app: App
  redirectUri: string
  scopes: Scope[]
  audience: Audience
  /** Why it cannot be granted, whoever decides; null if it can. */
  refusal: Refused | null
  /** The path of its page. */
  path: string
}

/** The parameters of a request for consent, and the path of its page, to continue at. */
interface Sent {
  parameters: Parameters
  path: string
  /** Whether the app’s document must be requested from the address that is its client id. */
  needsDocument: boolean
}

/**
 * Reads the request of an app.
 * @param session of the visitor; a document is requested only for one who is signed in.
 * @param network of the visitor, from `clientNetwork`.
 * @throws Problem BAD_REQUEST if the app is unknown, or did not register its redirect URI.
 */
async function askIn(
  { parameters, path }: Sent,
  session: Session | null,
  service: Service,
  documents: ClientDocuments,
  network: string,
): Promise<Ask> {
  try {
    const { client_id: id = '', redirect_uri: redirectUri } = parameters
    if (redirectUri === undefined) throw new Refused('invalid_request', 'redirect_uri is missing')
    const app =
      session !== null && isDocument(id)
        ? await documents.appOf(id, { userId: session.userId, network })
        : appOf(id, service.config.secret)
    if (app === null) throw new Refused('invalid_client', 'client_id is not that of a registered app')
    if (!mayRedirectTo(app, redirectUri)) throw new Refused('invalid_request', 'the app did not name this redirect_uri')
    return { parameters, path, app, redirectUri, ...(await wishIn(parameters, app, service)) }
  } catch (error) {
    throw error instanceof Refused ? unanswerable(error) : error
  }
}

async function wishIn(
  parameters: Parameters,
  app: App,
  service: Service,
): Promise<Pick<Ask, 'scopes' | 'audience' | 'refusal'>> {
  const { origin } = service.config
  const { code_challenge, code_challenge_method, resource, request: object, request_uri } = parameters
  try {
    if (object !== undefined || request_uri !== undefined)
      throw new Refused('request_not_supported', 'send the parameters themselves, not request or request_uri')
    // The library accepts requests without PKCE, or without a method, which means plain.
    if (!/^[\w-]{43}$/.test(code_challenge ?? '') || code_challenge_method !== 'S256')
      throw new Refused('invalid_request', 'PKCE is needed: code_challenge with code_challenge_method=S256')
    const audience = audienceOf(resource, origin)
    if (audience === null) throw new Refused('invalid_target', `resource must be ${origin}/api/mcp`)
    return { scopes: await checkScopes(parameters, app, service), audience, refusal: null }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { scopes: [], audience: 'mcp', refusal: error }
  }
}

/** The error that a person sees for a request that cannot be answered. */
function unanswerable({ message }: Refused): Problem {
  const next = 'Start again in the app. If this happens again, remove the app’s sign-in there and add it anew.'
  return new Problem('BAD_REQUEST', `${message}.`, {
    userMessage: `The app asked in a way we can’t answer (${message}). ${next}`,
  })
}

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
  if (session === null) return seeOther(`${routes.account.signIn.href()}?next=${encodeURIComponent(path)}`)
  if (!session.emailVerified) {
    return page(<ConfirmBeforeConnectingPage site={await signedInSite(session, service)} path={path} />, 403)
  }
  return isRecent(session.signedInAt)
    ? null
    : seeOther(`${routes.account.signIn.href()}?as=again&next=${encodeURIComponent(path)}`)
}

/** The subject that the app is to act for; null for an organisation of which the visitor is not an admin. */
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
