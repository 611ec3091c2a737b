/** @jsxImportSource @kitajs/html */
import { dropPath } from '../../../src/audience/origin.ts'
import { passwordHashOf } from '../../../src/bundles/edit/unversioned.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { Problem } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { type Filling, qrProblem, queryOf } from '../../../src/core/template.js'
import { duration } from '../../../src/core/words.ts'
import { readForm } from '../../../src/http/body.ts'
import { clientAddress } from '../../../src/http/request.ts'
import { HTML, seeOther, text } from '../../../src/http/respond.ts'
import { MAX_PASSWORD_UNITS } from '../../../src/identity/password-rules.ts'
import { passwordsAt, withHashQueue } from '../../../src/identity/passwords.ts'
import { refused } from '../../../src/launcher/access.ts'
import type { Launcher } from '../../../src/launcher/cached.ts'
import { qrCode } from '../../../src/launcher/qr.ts'
import { type PolicyRequest, withReferrer } from '../../../src/launcher/seen.ts'
import type { PublicBundle } from '../../../src/launcher/served.ts'
import {
  giveAllBack,
  type Limit,
  network,
  networkCounts,
  takeAll,
  widerNetwork,
} from '../../../src/limits/rate-limits.ts'
import type { Site } from '../../../src/operations/operation.ts'
import { plainSite } from '../../parts/visitor.ts'
import { QR, type Unlocked } from '../parts/bar.tsx'
import { bookmarksFile } from '../parts/bookmarks.ts'
import { AT_LINK } from './launcher-forms.ts'
import { LockedPage, type PasswordForm } from './locked.tsx'

/** Restrictions on a launcher besides its opening times. */
type Lock = { kind: 'members' } | { kind: 'password' }

/** Hosts are shorter, and the rest of a referrer is not used. */
const MAX_REFERRER = 300

/** The page in place of a launcher that needs a session or a password. It reveals nothing about the bundle. */
export async function lockedPage(request: Request, slug: string, lock: Lock, service: Service): Promise<Response> {
  if (lock.kind === 'password') {
    const referrer = request.headers.get('referer') ?? ''
    return passwordPage(request, slug, { referrer, error: undefined }, refused(lock), service)
  }
  const session = request.headers.has('cookie') ? await service.readSession(request.headers) : null
  const address = addressOf(request, slug)
  const view = <LockedPage site={plainSite(service.config)} slug={slug} address={address} signedInAs={session?.email} />
  return locked(request, view, refused(lock))
}

/**
 * The viewer’s request, as rules read it, if its form has the bundle’s password; otherwise the answer.
 * @param isInside whether the viewer needs no password.
 */
export async function tryPassword(
  request: Request,
  { slug, bundleId, gate }: Launcher,
  isInside: boolean,
  service: Service,
): Promise<PolicyRequest | Response> {
  const form = await readForm(request)
  if (gate?.access !== 'password') return seeOther(addressOf(request, slug))
  const password = form.get('password') ?? ''
  const referrer = form.get('referrer') ?? ''
  const asked = { headers: withReferrer(request.headers, referrer === '' ? null : referrer), url: request.url }
  if (isInside) return asked
  const again = (problem: Problem, error: string) => passwordPage(request, slug, { referrer, error }, problem, service)
  const needed = refused({ kind: 'password' })
  if (password === '') return again(needed, 'Enter the password.')
  try {
    if (!(await isPassword(password, bundleId, request, service))) {
      return again(needed, 'This isn’t the password. Check it, or ask whoever sent you the link.')
    }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'RATE_LIMITED') throw error
    return again(error, error.message)
  }
  return asked
}

function passwordPage(
  request: Request,
  slug: string,
  { referrer, error }: Pick<PasswordForm, 'referrer' | 'error'>,
  problem: Problem,
  { config }: Service,
): Response {
  const form = { referrer: dropPath(referrer.slice(0, MAX_REFERRER)), error }
  const view = <LockedPage site={plainSite(config)} slug={slug} address={addressOf(request, slug)} form={form} />
  return locked(request, view, problem)
}

function locked(request: Request, view: JSX.Element, { status, headers }: Problem): Response {
  return text(request, view as string, {
    type: HTML,
    status,
    headers: { 'referrer-policy': 'same-origin', ...AT_LINK, ...headers },
  })
}

/** The requested address of the launcher, with values and the query that its rules may read; without a password. */
function addressOf({ url }: Request, slug: string): string {
  const from = url.indexOf('?')
  const [, value = ''] = /^(?:\w+:\/\/[^/]*)?\/l\/[^/?#]+(\/[^/?#]+)/.exec(url) ?? []
  const query = new URLSearchParams(from === -1 ? '' : url.slice(from))
  query.delete('password')
  return `${routes.launcher.page.href({ slug })}${value}${query.size === 0 ? '' : `?${query}`}`
}

/** The other forms of a launcher, embedded in its page once the password was given. */
export function unlocked(bundle: PublicBundle, filling: Filling, site: Site): Unlocked {
  const address = linkOf(bundle.slug, site) + queryOf(filling)
  const isTooLong = qrProblem(address) !== null
  return {
    qr: isTooLong ? null : qrCode(address).replace('<svg ', `<svg role="img" aria-label="${QR}" `),
    bookmarks: `data:text/html;charset=utf-8;base64,${Buffer.from(bookmarksFile(bundle)).toString('base64')}`,
  }
}

const [MINUTE, DAY] = [60_000, 86_400_000]

/** Wrong passwords from one network, for all bundles. */
const FROM_ONE_NETWORK: Limit = { name: 'bundle-password', max: 10, windowMs: 15 * MINUTE }
/** Wrong passwords for one bundle from all networks, because a new network is cheap. */
const FOR_ONE_BUNDLE: Limit = { name: 'bundle-password-all', max: 1_000, windowMs: DAY }

/**
 * Whether a bundle has this password. An attempt counts as wrong until it proves right, so that concurrent attempts cannot all
 * pass.
 * @throws Problem RATE_LIMITED after too many wrong attempts, whether or not this one is right.
 */
async function isPassword(password: string, bundleId: number, request: Request, service: Service): Promise<boolean> {
  const { bucket, store, passwordCost } = service
  const address = clientAddress(request)
  const own = network(address)
  const attempt = async () => {
    const counts = [...networkCounts(FROM_ONE_NETWORK, own), { limit: FOR_ONE_BUNDLE, key: String(bundleId) }]
    const { allowed, resetSeconds } = await takeAll(bucket, counts)
    if (!allowed) throw tooMany(resetSeconds)
    let isRight = false
    let isTried = false
    try {
      // A longer password cannot be right, and is not worth a hash.
      const hash = password.length > MAX_PASSWORD_UNITS ? null : await passwordHashOf(store, bundleId)
      isRight = hash !== null && (await passwordsAt(passwordCost).verify({ hash, password }))
      isTried = true
      return isRight
    } finally {
      if (isRight || !isTried) await giveAllBack(bucket, counts)
    }
  }
  return withHashQueue(widerNetwork(address), 1, () => inTurn(own, attempt))
}

function tooMany(seconds: number): Problem {
  return new Problem('RATE_LIMITED', `Too many wrong passwords. Try again in ${duration(seconds)}.`, {
    retryAfterSeconds: seconds,
  })
}

/** The pending attempt of each network. */
const latest = new Map<string, Promise<unknown>>()

/**
 * Runs the attempts of one network one after another. Each counts as wrong while it is pending: if they ran at once, ten people
 * with the right password would lock an eleventh out. The queue of hashes bounds how many wait.
 */
function inTurn<T>(network: string, run: () => Promise<T>): Promise<T> {
  const before = latest.get(network) ?? Promise.resolve()
  const own = before.then(run)
  const ended = own.then(
    () => {},
    () => {},
  )
  latest.set(network, ended)
  void ended.then(() => {
    if (latest.get(network) === ended) latest.delete(network)
  })
  return own
}
