import type { Audience } from '../../db/rights.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Session } from '../identity/caller.ts'
import type { Scope } from '../identity/roles.ts'
import { type App, appOf, mayRedirectTo } from '../keys/apps.ts'
import type { ClientDocuments } from './client-documents.ts'
import { checkScopes } from './library.ts'
import { isDocument, type Parameters, Refused } from './parameters.ts'
import { audienceOf } from './resources.ts'

// What an app asks for, in the address of the page where a person decides.

/** A request for consent, of an app that is known, and to which a browser may be sent back. */
export interface Ask {
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
export interface Sent {
  parameters: Parameters
  path: string
  /** Whether to find out about the app takes a request to wherever it says. */
  needsDocument: boolean
}

/**
 * What an app asks for.
 * @param session of whoever is asked. Only for somebody who is signed in is a document requested.
 * @param network from which they are asked, of `clientNetwork`.
 * @throws Problem BAD_REQUEST if the app is not known, or the browser may not be sent back to where it says.
 */
export async function askIn(
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
    // The library takes requests without PKCE, or with the plain method unsaid.
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

/** What a person is told of a request that cannot be answered. */
export function unanswerable({ message }: Refused): Problem {
  const next = 'Start again in the app. If this happens again, remove the app’s sign-in there and add it anew.'
  return new Problem('BAD_REQUEST', `${message}.`, {
    userMessage: `The app asked in a way we can’t answer (${message}). ${next}`,
  })
}
