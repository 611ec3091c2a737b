/** @jsxImportSource @kitajs/html */

import type { Audience } from '../../db/rights.ts'
import { BackToAppPage, ConsentPage } from '../../views/account/consent.tsx'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { type Page, page } from '../http/page.ts'
import { gone, type Session, type Subject } from '../identity/caller.ts'
import type { Scope } from '../identity/roles.ts'
import { type App, hostOf, isOnThisComputer } from '../keys/apps.ts'
import { refuseFull } from '../keys/caps.ts'
import { countForPerson } from '../limits/count-requests.ts'
import { subjectExists } from '../plans/owners.ts'
import { siteOf, subjectIn, unproven } from './deciding.tsx'
import { authorize } from './library.ts'
import { inQuery, type Parameters, Refused } from './parameters.ts'
import { audienceOf } from './resources.ts'

/** A checked request for consent. */
interface Ask {
  parameters: Parameters
  app: App
  scopes: Scope[]
  audience: Audience
  /** The path of its page. */
  path: string
}

/** A request for consent by somebody who may give it. */
interface Visit {
  service: Service
  ask: Ask
  session: Session
}

/** The page where a person decides whether an app may act for them. It changes nothing. */
export async function consentPage(request: Request, service: Service): Promise<Page | Response> {
  const ask = await askIn(request, service)
  const session = await service.readSession(request.headers)
  return (await unproven(service, ask.path, session)) ?? show({ service, ask, session: session! })
}

/** The decision, from that page only. */
export async function decide(request: Request, service: Service): Promise<Page | Response> {
  const ask = await askIn(request, service)
  const session = await service.readSession(request.headers)
  const missing = await unproven(service, ask.path, session)
  if (missing !== null) return missing
  const visit = { service, ask, session: session! }
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

async function connect(visit: Visit, subject: Subject): Promise<Page> {
  const { service, ask, session } = visit
  const { userId } = session
  const consent = { userId, subject, audience: ask.audience }
  const { code } = await authorize(ask.parameters, consent, service).catch(async (error) => {
    await refuseFull(service.store, subject)
    throw (await subjectExists(service.store, subject)) ? error : gone()
  })
  const { accountMails } = await service.accounts()
  accountMails.notify(userId, { kind: 'appConnected', name: ask.app.name, actsFor: subject.type })
  return back(visit, { code })
}

/**
 * What an app asks for.
 * @throws Problem BAD_REQUEST. Never a redirect to the app: anybody can register one, and so make this service send
 * people anywhere (RFC 9700, 4.11.2).
 */
async function askIn(request: Request, service: Service): Promise<Ask> {
  const { config } = service
  try {
    const parameters = inQuery(request)
    const { redirect_uri, code_challenge, code_challenge_method, resource, request: object, request_uri } = parameters
    if (redirect_uri === undefined) throw new Refused('invalid_request', 'redirect_uri is missing')
    if (object !== undefined || request_uri !== undefined)
      throw new Refused('request_not_supported', 'send the parameters themselves, not request or request_uri')
    // The library takes requests without PKCE, or with the plain method unsaid.
    if (!/^[\w-]{43}$/.test(code_challenge ?? '') || code_challenge_method !== 'S256')
      throw new Refused('invalid_request', 'PKCE is needed: code_challenge with code_challenge_method=S256')
    const audience = audienceOf(resource, config.origin)
    if (audience === null) throw new Refused('invalid_target', `resource must be ${config.origin}/api/mcp`)
    const { app, scopes } = await authorize(parameters, null, service)
    return { parameters, app, scopes, audience, path: pathOf(parameters) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const next = 'Start again in the app. If this happens again, remove the app’s sign-in there and add it anew.'
    throw new Problem('BAD_REQUEST', `${error.message}.`, {
      userMessage: `The app asked in a way we can’t answer (${error.message}). ${next}`,
    })
  }
}

/** The path of a request for consent, with the characters that a path to continue at may have. */
function pathOf(parameters: Parameters): string {
  return `/oauth/authorize?${new URLSearchParams(parameters).toString().replaceAll('*', '%2A')}`
}

async function show({ service, ask, session }: Visit, problem?: Problem): Promise<Page> {
  const { app, scopes, audience, path } = ask
  const site = await siteOf(service, session)
  const shown = { site, app: asking(ask, app), scopes, audience, path, error: problem?.userMessage }
  return page(<ConsentPage {...shown} />, problem?.status ?? 200, problem?.headers)
}

function asking({ parameters }: Ask, { name }: App) {
  const host = hostOf(parameters.redirect_uri ?? '')
  return { name, host, isOnThisComputer: isOnThisComputer(host) }
}

/**
 * Sends the browser back to the app. By a page that refreshes, not a redirect: `form-action` also applies to redirects,
 * and the app may redirect on.
 */
async function back({ service, ask, session }: Visit, answer: Record<string, string>): Promise<Page> {
  const { parameters, app } = ask
  const url = new URL(parameters.redirect_uri ?? '')
  // Says which server answers, so that an app of several cannot be made to mix them up (RFC 9207).
  const { state } = parameters
  const sent = { ...answer, ...(state === undefined ? {} : { state }), iss: service.config.origin }
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value)
  const site = await siteOf(service, session)
  const view = <BackToAppPage site={site} url={url.href} app={asking(ask, app)} isConnected={'code' in answer} />
  return page(view, 200, { refresh: `0;url=${url.href}`, 'referrer-policy': 'no-referrer' })
}
