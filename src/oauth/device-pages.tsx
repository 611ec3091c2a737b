/** @jsxImportSource @kitajs/html */

import { DEVICE_PATH, DeviceConsentPage, DeviceDecidedPage, DevicePage } from '../../views/account/consent/view.tsx'
import { signedInSite } from '../../views/parts/visitor.ts'
import { Problem } from '../core/problem.ts'
import { sha256 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { clientNetwork } from '../http/request.ts'
import { type Page, page } from '../http/respond.ts'
import { gone, type Session } from '../identity/caller.ts'
import { OWN_COMMAND } from '../keys/apps.ts'
import { refuseFull } from '../keys/caps.ts'
import { connectDevice, type DeviceRequest, denyDevice, waitingRequest } from '../keys/device-requests.ts'
import { countForAddress, countForPerson, countRequest, type Limit } from '../limits/rate-limits.ts'
import { subjectExists } from '../plans/owners.ts'
import { subjectIn, unproven } from './consent.tsx'

/** Codes that one person may try. At this rate, and with a hundred codes waiting, it takes two centuries to find one. */
const TRIES: Limit = { name: 'device-codes', max: 20, windowMs: 600_000 }

/** A waiting code, and the person who typed it. */
interface Visit {
  service: Service
  session: Session
  code: string
  request: DeviceRequest
}

/** The page where a person enters the code of a device. A code in its address is ignored: it would be somebody else’s. */
export async function devicePage(request: Request, service: Service): Promise<Page | Response> {
  const session = await service.readSession(request.headers)
  return (await unproven(service, DEVICE_PATH, session)) ?? askForCode(service, session!)
}

async function askForCode(service: Service, session: Session, typed = '', problem?: Problem): Promise<Page> {
  const site = await signedInSite(session, service)
  const view = <DevicePage site={site} typed={typed} error={problem?.userMessage} />
  return page(view, problem?.status ?? 200, problem?.headers)
}

/** Handles a typed code, and the decision about its device if the form has one. */
export async function typedCode(request: Request, service: Service): Promise<Page | Response> {
  const session = await service.readSession(request.headers)
  const missing = await unproven(service, DEVICE_PATH, session)
  if (missing !== null || session === null) return missing!
  const form = await readForm(request)
  const code = (form.get('code') ?? '').slice(0, 40)
  const from = clientNetwork(request)
  try {
    await countForAddress(service, 'signIn', from, 'device code')
    await countRequest(service.bucket, TRIES, session.userId, 'from your account')
  } catch (error) {
    if (error instanceof Problem) return askForCode(service, session, code, error)
    throw error
  }
  const found = await waitingRequest(service.store, code, { from, secret: service.config.secret })
  if (found === null) return askForCode(service, session, code, NOT_WAITING)
  const visit = { service, session, code, request: found }
  const decision = form.get('decision')
  if (decision === null) return show(visit)
  if (decision === 'connect') return connect(visit, form)
  await denyDevice(service.store, code, service.config.secret)
  return decided(visit, false)
}

const NOT_WAITING = new Problem('NOT_FOUND', 'No device is waiting with this code.', {
  userMessage:
    'No device is waiting with this code. Check it, or start again on the device: a code is valid for ten minutes.',
})

async function show({ service, session, code, request }: Visit, problem?: Problem): Promise<Page> {
  const { clientHash, name, isFromHere, scopes, audience } = request
  const asked = { code, name, isOwn: clientHash.equals(sha256(OWN_COMMAND.id)), isFromHere, scopes, audience }
  const view = <DeviceConsentPage site={await signedInSite(session, service)} {...asked} error={problem?.userMessage} />
  return page(view, problem?.status ?? 200, problem?.headers)
}

async function connect(visit: Visit, form: URLSearchParams): Promise<Page> {
  const { service, session, code, request } = visit
  const { config, store } = service
  const { userId } = session
  const subject = await subjectIn(form, service, session)
  if (subject === null) return show(visit, new Problem('FORBIDDEN', 'Choose whom the app acts for.'))
  try {
    await countForPerson(service, 'writes', userId)
    await refuseFull(store, subject)
  } catch (error) {
    if (error instanceof Problem) return show(visit, error)
    throw error
  }
  const { clientHash, name, scopes, audience } = request
  const consent = { clientHash, name, scopes, audience, userId, subject }
  const isConnected = await connectDevice(store, code, consent, config.secret).catch(async (error) => {
    await refuseFull(store, subject)
    throw (await subjectExists(store, subject)) ? error : gone()
  })
  if (!isConnected) return askForCode(service, session, code, NOT_WAITING)
  const { accountMails } = await service.accounts()
  await accountMails.notify(userId, { kind: 'appConnected', name, actsFor: subject.type })
  return decided(visit, true)
}

async function decided({ service, session }: Visit, isConnected: boolean): Promise<Page> {
  return page(<DeviceDecidedPage site={await signedInSite(session, service)} isConnected={isConnected} />)
}
