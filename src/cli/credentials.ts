import { OpenallError } from '../sdk/openall.ts'
import { deleteSignIn, savedKey, saveSignIn, signInAt } from './settings.ts'
import { post, type SignIn, signInOf } from './sign-in.ts'

/** A sign-in is renewed this long before its end, so that a long call does not fail. */
const EARLY_MS = 120_000

/**
 * The credential for a server: `OPENALL_KEY`, else the saved key, else the token of the last sign-in, renewed if it is about to
 * expire.
 * @throws OpenallError UNAUTHORIZED if the sign-in has ended.
 */
export async function credentialFor(server: string): Promise<string | undefined> {
  const key = process.env.OPENALL_KEY?.trim() || savedKey(server)
  if (key !== undefined) return key
  const signIn = signInAt(server)
  if (signIn === undefined || signIn.expiresAt - Date.now() > EARLY_MS) return signIn?.accessToken
  // Calls of one process share a renewal. Processes need not: the service repeats its answer for a while.
  pending ??= renewed(server).finally(() => (pending = undefined))
  return pending
}

let pending: Promise<string> | undefined

async function renewed(server: string): Promise<string> {
  const before = signInAt(server)!
  try {
    const signIn = await renew(server, before)
    saveSignIn(server, signIn)
    return signIn.accessToken
  } catch (error) {
    if (!(error instanceof OpenallError) || error.code !== 'UNAUTHORIZED') throw error
    // Another process may have renewed it since.
    const now = signInAt(server)
    if (now !== undefined && now.refreshToken !== before.refreshToken) return now.accessToken
    deleteSignIn(server)
    throw error
  }
}

/**
 * Exchanges a sign-in for new tokens; the old ones are used up.
 * @throws OpenallError UNAUTHORIZED if it has ended.
 */
async function renew(server: string, { clientId, refreshToken }: SignIn): Promise<SignIn> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  return signInOf(clientId, await post(server, 'token', new URLSearchParams(fields)))
}
