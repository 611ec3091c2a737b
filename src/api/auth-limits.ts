import { Problem } from '../core/problem.ts'
import { duration } from '../core/words.ts'
import { clientAddress, clientNetwork } from '../http/client.ts'
import { deviceOf } from '../identity/devices.ts'
import { guess, type Try } from '../identity/guessing.ts'
import { amongHashers } from '../identity/passwords.ts'
import { chargeAddress } from '../limits/charge.ts'
import { network, widerNetwork } from '../limits/network.ts'
import { countMail } from '../mail/limits.ts'
import type { Service } from '../service.ts'

// What better-auth's routes may be asked how often: requests of an address, mails to one, guesses at an account, and
// hashes at once (decisions 13).

/**
 * What proves who somebody is, or sends mail, by what it is for. Each draws on a bucket of the client's address of its
 * own: whoever uses up one way in leaves the others to those who share the address.
 */
const PURPOSES: readonly (readonly [purpose: string, paths: RegExp])[] = [
  ['magic link', /^\/(sign-in\/magic-link|magic-link)(\/|$)/],
  ['reset', /^\/(request-password-reset|reset-password)(\/|$)/],
  ['mail', /^\/(email-verification|send-verification-email|organization\/invite-member)(\/|$)/],
  ['password', /^\/(sign-in|sign-up|change-password|verify-password|delete-user)(\/|$)/],
]

/** How many passwords a call hashes; a sign-up is followed by a sign-in. */
const HASHES: Record<string, number> = {
  '/sign-up/email': 2,
  '/sign-in/email': 1,
  '/change-password': 2,
  '/verify-password': 1,
  '/delete-user': 1,
  '/reset-password': 1,
}

/** What sends a mail to the `email` of its body. */
const MAILING = new Set([
  '/sign-up/email',
  '/sign-in/magic-link',
  '/request-password-reset',
  '/send-verification-email',
  '/organization/invite-member',
])

/** What compares a password with that of the account whose session asks. */
const CONFIRMING = new Set(['/change-password', '/verify-password', '/delete-user'])

/** What answers tell that a password was compared, and was wrong. */
const WRONG = new Set(['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD'])

/**
 * Counts a request against its address, before its body is read.
 * @throws Problem RATE_LIMITED.
 */
export async function chargeCall(path: string, request: Request, service: Service): Promise<void> {
  const purpose = PURPOSES.find(([, paths]) => paths.test(path))?.[0]
  if (purpose === undefined) return
  await chargeAddress(service, 'signIn', clientNetwork(request), `${purpose} `)
}

/** A call of better-auth, as it is about to be made. */
interface AuthCall {
  /** Below `/api/auth`, without its query. */
  path: string
  sent: unknown
  request: Request
  service: Service
}

/**
 * Makes a call within the limits on what it does: mail, guess, hash.
 * @throws Problem RATE_LIMITED, which tells nothing about which addresses have an account.
 */
export async function withinLimits(call: AuthCall, make: () => Promise<Response>): Promise<Response> {
  const { path, request } = call
  const hashes = HASHES[path] ?? 0
  const guessed = () => withinGuesses(call, make)
  return withinMails(call, () =>
    hashes === 0 ? guessed() : amongHashers(widerNetwork(clientAddress(request)), hashes, guessed),
  )
}

async function withinMails({ path, sent, request, service }: AuthCall, make: () => Promise<Response>) {
  const to = emailIn(sent)
  if (to === null || !MAILING.has(path)) return make()
  const { waitSeconds, undo } = await countMail(service.bucket, to, deviceOf(request.headers, to, service.config))
  if (waitSeconds > 0) {
    const text = `Too many mails have gone to this address lately. Try again in ${duration(waitSeconds)}.`
    throw new Problem('RATE_LIMITED', text, { retryAfterSeconds: waitSeconds })
  }
  let isDone = false
  try {
    const answer = await make()
    isDone = answer.ok
    return answer
  } finally {
    if (!isDone) await undo()
  }
}

async function withinGuesses(call: AuthCall, make: () => Promise<Response>): Promise<Response> {
  const tried = await tryIn(call)
  if (tried === null) return make()
  // An answer to a sign-up does not tell whether its password was right, and nor may this count.
  const wasWrong = async (answer: Response) =>
    call.path === '/sign-up/email' ? answer.ok : !answer.ok && WRONG.has(await codeOf(answer))
  return guess(tried, call.service, make, wasWrong)
}

/** The password that a call tries, if it does. */
async function tryIn({ path, sent, request, service }: AuthCall): Promise<Try | null> {
  const { headers } = request
  if (CONFIRMING.has(path)) {
    const session = await service.readSession(headers)
    const tooMany = 'Too many wrong passwords for your account.'
    return session === null ? null : { email: session.userId, headers, network: null, tooMany }
  }
  const email = emailIn(sent)
  if (email === null || (path !== '/sign-in/email' && path !== '/sign-up/email')) return null
  const tooMany =
    path === '/sign-in/email' ? 'Too many wrong passwords for this account.' : 'Too many sign-ups with this address.'
  return { email, headers, network: network(clientAddress(request)), tooMany }
}

/** The address of a call, if it may be one: what better-auth refuses outright need not be counted. */
function emailIn(sent: unknown): string | null {
  const email = (sent as { email?: unknown } | null | undefined)?.email
  return typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null
}

async function codeOf(answer: Response): Promise<string> {
  const { code } = (await answer.clone().json()) as { code: string }
  return code
}
