import { type Attempt, withGuessLimit } from '../accounts/brute-force.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { duration } from '../core/words.ts'
import { clientAddress, clientNetwork } from '../http/client.ts'
import { deviceOf } from '../identity/devices.ts'
import { withHashQueue } from '../identity/passwords.ts'
import { countForAddress } from '../limits/count-requests.ts'
import { network, widerNetwork } from '../limits/network.ts'
import { countMail } from '../mail/limits.ts'

// Limits on better-auth’s routes: requests per address, mails to an address, guesses at an account, and concurrent
// hashes.

/**
 * Routes that prove an identity or send mail, by purpose. Each purpose has its own bucket per client address, so that
 * using one up leaves the others to everyone who shares the address.
 */
const PURPOSES: readonly (readonly [purpose: string, paths: RegExp])[] = [
  ['magic link', /^\/(sign-in\/magic-link|magic-link)(\/|$)/],
  ['reset', /^\/(request-password-reset|reset-password)(\/|$)/],
  ['mail', /^\/(email-verification|send-verification-email|organization\/invite-member)(\/|$)/],
  ['password', /^\/(sign-in|sign-up|change-password|verify-password|delete-user)(\/|$)/],
]

/** Password hashes that a call computes; a sign-up also signs in. */
const HASHES: Record<string, number> = {
  '/sign-up/email': 2,
  '/sign-in/email': 1,
  '/change-password': 2,
  '/verify-password': 1,
  '/delete-user': 1,
  '/reset-password': 1,
}

/** The same if accounts need a confirmed address first. */
const HASHES_IF_VERIFIED: typeof HASHES = { ...HASHES, '/sign-up/email': 1, '/sign-in/email': 2 }

/** Routes that send a mail to the `email` in their body. */
const MAILING = new Set([
  '/sign-up/email',
  '/sign-in/magic-link',
  '/request-password-reset',
  '/send-verification-email',
  '/organization/invite-member',
])

/** Routes that check the password of the session’s account. */
const CONFIRMING = new Set(['/change-password', '/verify-password', '/delete-user'])

/** How long to wait while the mail server takes none of the mails there are. */
const FULL_FOR_SECONDS = 600

/** Error codes that mean a wrong password. */
const WRONG = new Set(['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD'])

/**
 * Counts a request against its client address, before its body is read.
 * @throws Problem RATE_LIMITED.
 */
export async function countCall(path: string, request: Request, service: Service): Promise<void> {
  const purpose = PURPOSES.find(([, paths]) => paths.test(path))?.[0]
  if (purpose === undefined) return
  await countForAddress(service, 'signIn', clientNetwork(request), `${purpose} `)
}

/** A call of better-auth that is about to be made. */
interface AuthCall {
  /** Below `/api/auth`, without its query. */
  path: string
  sent: unknown
  request: Request
  service: Service
}

/**
 * Makes a call within the limits on mails, guesses and hashes.
 * @throws Problem RATE_LIMITED, which does not reveal whether an address has an account.
 */
export async function withinLimits(call: AuthCall, make: () => Promise<Response>): Promise<Response> {
  const { path, request, service } = call
  const hashes = (service.config.requireVerifiedEmail ? HASHES_IF_VERIFIED : HASHES)[path] ?? 0
  const limited = () => withinGuesses(call, make)
  return withinMails(call, () =>
    hashes === 0 ? limited() : withHashQueue(widerNetwork(clientAddress(request)), hashes, limited),
  )
}

async function withinMails({ path, sent, request, service }: AuthCall, make: () => Promise<Response>) {
  const to = emailIn(sent)
  if (to === null || !MAILING.has(path)) return make()
  if (service.mailer.isFull) {
    const text = `Too many emails are waiting to be sent. Try again in ${duration(FULL_FOR_SECONDS)}.`
    throw new Problem('RATE_LIMITED', text, { retryAfterSeconds: FULL_FOR_SECONDS })
  }
  const { waitSeconds, undo } = await countMail(service.bucket, to, deviceOf(request.headers, to, service.config))
  if (waitSeconds > 0) {
    const text = `We’ve sent too many emails to this address lately. Try again in ${duration(waitSeconds)}.`
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
  const attempt = await attemptIn(call)
  if (attempt === null) return make()
  // The answer to a sign-up does not reveal whether the password matched, so this count must not either.
  const wasWrong = async (answer: Response) =>
    call.path === '/sign-up/email' ? answer.ok : !answer.ok && WRONG.has(await codeOf(answer))
  return withGuessLimit(attempt, call.service, make, wasWrong)
}

/** The attempt at a password that a call makes, if any. */
async function attemptIn({ path, sent, request, service }: AuthCall): Promise<Attempt | null> {
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

/** The address in a call, if it may be valid: what better-auth refuses outright need not be counted. */
function emailIn(sent: unknown): string | null {
  const email = (sent as { email?: unknown } | null | undefined)?.email
  return typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null
}

async function codeOf(answer: Response): Promise<string> {
  const { code } = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { code?: string }
  return code ?? ''
}
