import { setTimeout as wait } from 'node:timers/promises'
import { OpenallError } from '../sdk/openall.ts'
import { note, oneLine } from './output.ts'
import { post, refused, type SignIn, signInOf } from './sign-in.ts'

// Sign-in on a computer without a browser: by a code typed in on another one (RFC 8628).

/** The client id of this command at the service. */
const CLIENT_ID = 'openall-cli'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** Added to the interval each time that the service answers `slow_down`. */
const SLOWER_SECONDS = 5

interface Begun {
  device_code: string
  user_code: string
  verification_uri: string
  expires_in: number
  interval?: number
}

/**
 * Signs in by a code that the user types in on another computer.
 * @throws OpenallError, also if they decline or take too long.
 */
export async function signInOnDevice(server: string, scope: string): Promise<SignIn> {
  const asked = { client_id: CLIENT_ID, scope, resource: `${server}/api` }
  const begun = await post<Begun>(server, 'device_authorization', new URLSearchParams(asked))
  note(`On any computer or phone, open ${oneLine(begun.verification_uri)} and enter this code:`)
  note(`\n  ${oneLine(begun.user_code)}\n`)
  const fields = { grant_type: GRANT, device_code: begun.device_code, client_id: CLIENT_ID }
  const until = Date.now() + begun.expires_in * 1000
  let seconds = begun.interval ?? 5
  while (Date.now() < until) {
    await wait(seconds * 1000)
    try {
      return signInOf(CLIENT_ID, await post(server, 'token', new URLSearchParams(fields)))
    } catch (error) {
      const why = error instanceof OpenallError ? error.cause : undefined
      if (why === 'access_denied') throw refused('You did not connect the command line.')
      if (why === 'expired_token') break
      if (why === 'slow_down') seconds += SLOWER_SECONDS
      // A short network failure must not end the sign-in.
      const isPassing = error instanceof OpenallError && error.code === 'NETWORK_ERROR'
      if (why !== 'slow_down' && why !== 'authorization_pending' && !isPassing) throw error
    }
  }
  throw new OpenallError('TIMEOUT', 'Nobody entered the code in time. Run openall login --device again.')
}
