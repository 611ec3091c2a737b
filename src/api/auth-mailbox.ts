import { account } from '../../db/schema.ts'
import { magicLinkIdentifier } from '../accounts/mailed-links.ts'
import { Problem } from '../core/problem.ts'
import { randomBase62 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { clientAddress } from '../http/request.ts'
import { unfitPassword } from '../identity/password-rules.ts'
import { hashPassword, withHashQueue } from '../identity/passwords.ts'
import { widerNetwork } from '../limits/rate-limits.ts'
import { refuseUnfit, signInByLink } from './auth.ts'

/** A person who has proved a mailbox, and the name and password of their account if it had no owner before. */
interface MailboxOwner {
  email: string
  name: string
  /** Null if passwords are switched off. */
  password: string | null
}

/** The lifetime of the internal sign-in link, which nobody sees. */
const LINK_MS = 60_000

/**
 * Signs in the reader of a mail that proves its address, by all rules of a sign-in link to that address, with the name and
 * password that they chose. Only for an address without a confirmed account: a mail for another purpose must not sign in to
 * one.
 * @returns the answer, or the refusal of the password.
 * @throws Problem BAD_REQUEST for an unfit name; whatever `signInByLink` throws; RATE_LIMITED.
 */
export async function signInByMailbox(
  request: Request,
  service: Service,
  { email, name, password }: MailboxOwner,
): Promise<Response | Problem> {
  refuseUnfit({ name })
  const unfit = password === null ? null : await unfitPassword(password, { email, service: service.config.name })
  if (unfit !== null) return new Problem(unfit.code, unfit.message)
  const { internalAdapter } = await (await service.auth()).$context
  const signIn = async () => {
    const token = randomBase62(32)
    await internalAdapter.createVerificationValue({
      identifier: magicLinkIdentifier(token),
      value: JSON.stringify({ type: 'magic-link', email, name }),
      expiresAt: new Date(Date.now() + LINK_MS),
    })
    return signInByLink(request, service, token)
  }
  const hashes = password === null ? 0 : 1
  return withHashQueue(widerNetwork(clientAddress(request)), hashes, async () => {
    const hash = password === null ? null : await hashPassword(password, service.passwordCost)
    // If the same form was sent twice at once, only one can make the account; the retry finds it.
    const answer = (await signIn().catch(unlessRefused)) ?? (await signIn())
    if (answer === null) return new Problem('BAD_REQUEST', 'That didn’t work. Try again.')
    if (hash !== null) await addPassword(service, (await answer.clone().json()).user.id, hash)
    return answer
  })
}

function unlessRefused(error: unknown): null {
  if (error instanceof Problem) throw error
  return null
}

/** Gives an account a password, unless it has one. */
async function addPassword({ store: { db, write } }: Service, userId: string, hash: string): Promise<void> {
  const now = new Date()
  const row = { id: randomBase62(32), accountId: userId, providerId: 'credential', userId, password: hash }
  await write([
    db
      .insert(account)
      .values({ ...row, createdAt: now, updatedAt: now })
      .onConflictDoNothing(),
  ])
}
