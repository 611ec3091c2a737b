import OAuth2Server from '@node-oauth/oauth2-server'
import { sha256 } from '../core/secrets.ts'
import type { Service } from '../core/service.ts'
import { allows, keptScopes, SCOPES, type Scope } from '../identity/caller.ts'
import { type App, appOf, mayRedirectTo } from '../keys/apps.ts'
import {
  type AppTokens,
  beginGrant,
  type Consent,
  endGrant,
  type Grant,
  grantOfCode,
  grantOfRefreshToken,
  issueTokens,
  newTokens,
  TOKEN_SECONDS,
  useCode,
} from '../keys/grants.ts'
import { RENEWABLE_SECONDS } from '../keys/key-ring.ts'
import { isDocument, type Parameters, Refused, refuseOtherResource } from './parameters.ts'

/** How long the code that begins a grant is valid. */
const CODE_SECONDS = 120

// The library implements the protocol; the models below give it its data. Its Request and Response are plain data.

const { InvalidGrantError, OAuthError, Request, Response, ServerError } = OAuth2Server

/**
 * Checks a request for consent.
 * @returns the scopes that the app would get.
 * @throws Refused.
 */
export async function checkScopes(parameters: Parameters, app: App, service: Service): Promise<Scope[]> {
  return (await authorize(parameters, app, null, service)).scopes
}

/**
 * Stores a user’s consent.
 * @returns the code to send the app.
 * @throws Refused.
 */
export async function consentTo(
  parameters: Parameters,
  app: App,
  consented: Consented,
  service: Service,
): Promise<string> {
  return (await authorize(parameters, app, consented, service)).code
}

type Consented = Pick<Consent, 'userId' | 'subject' | 'audience'>

/** @param consented null to check only, without changes. */
async function authorize(
  parameters: Parameters,
  app: App,
  consented: Consented | null,
  { store }: Service,
): Promise<{ scopes: Scope[]; code: string }> {
  const model = {
    getClient: async () => ({ id: app.id, redirectUris: [...app.redirectUris], grants: GRANTS }),
    validateRedirectUri: async (uri: string) => mayRedirectTo(app, uri),
    validateScope: async (_: unknown, __: unknown, asked?: string[]) => granted(asked),
    async saveAuthorizationCode(code: OAuth2Server.AuthorizationCode, client: OAuth2Server.Client) {
      if (consented !== null) {
        const { redirectUri, codeChallenge = '' } = code
        const scopes = code.scope as Scope[]
        const to = { redirectUri, codeChallenge }
        const consent = { ...consented, clientHash: sha256(app.id), name: app.name, scopes, to }
        await beginGrant(store, consent, { hash: sha256(code.authorizationCode), seconds: CODE_SECONDS })
      }
      return { ...code, client, user: {} }
    },
  }
  const handler = { handle: async () => ({ id: consented?.userId ?? 'nobody yet' }) }
  const options = { allowEmptyState: true, authenticateHandler: handler, authorizationCodeLifetime: CODE_SECONDS }
  const { scope, authorizationCode } = await unlessRefused(() =>
    serverOf(model).authorize(requestOf('GET', parameters, {}), new Response(), options),
  )
  return { scopes: scope as Scope[], code: authorizationCode }
}

const GRANTS = ['authorization_code', 'refresh_token']

/** Exchanges a code or a refresh token. @throws Refused. */
export async function exchange(parameters: Parameters, service: Service): Promise<AppTokens> {
  const { config, store, keyRing } = service
  const { secret } = config
  const renewed = parameters.grant_type === 'refresh_token' ? (parameters.refresh_token ?? null) : null
  const userOf = (grant: Grant) => ({ keyId: grant.keyId, tokens: newTokens(grant.scopes) })
  const clientOf = async (grant: Grant) =>
    grant.clientHash.equals(sha256(parameters.client_id ?? '')) ? { id: parameters.client_id } : { id: null }
  const checkResource = ({ audience }: Grant) => refuseOtherResource(parameters, audience, config.origin)
  const end = async (keyId: number) => {
    await endGrant(store, keyId)
    await keyRing.forget()
  }
  const model = {
    // Apps have no secrets: see `documents`. A document is not read again: the grant has the hash of its client id.
    getClient: async (id: string) => (isDocument(id) || appOf(id, secret)) && { id, redirectUris: [], grants: GRANTS },
    validateScope: async (_: unknown, __: unknown, scope: string[]) => scope,
    generateAccessToken: async (_: unknown, { tokens }: { tokens: AppTokens }) => tokens.accessToken,
    generateRefreshToken: async (_: unknown, { tokens }: { tokens: AppTokens }) => tokens.refreshToken,
    async getAuthorizationCode(code: string) {
      const grant = await grantOfCode(store, code)
      // A device’s code needs another grant type.
      if (grant === null || grant.redirectUri === '') return null
      // Somebody else has the code too, so the tokens from it are not safe (RFC 6749, 4.1.2).
      if (grant.codeUsedAt !== null) return end(grant.keyId)
      checkResource(grant)
      const { redirectUri, codeChallenge, codeExpiresAt, scopes } = grant
      return {
        authorizationCode: code,
        expiresAt: new Date(codeExpiresAt),
        redirectUri,
        scope: scopes,
        codeChallenge,
        codeChallengeMethod: 'S256',
        client: await clientOf(grant),
        user: userOf(grant),
      }
    },
    async revokeAuthorizationCode({ authorizationCode, user }: { authorizationCode: string; user: { keyId: number } }) {
      const isFirst = await useCode(store, authorizationCode)
      if (!isFirst) await end(user.keyId)
      return isFirst
    },
    async getRefreshToken(refreshToken: string) {
      const grant = await grantOfRefreshToken(store, refreshToken)
      if (grant === null) return null
      checkResource(grant)
      // With the scopes that they include: an app may renew with all that it asked for.
      const scope = SCOPES.filter((one) => allows(grant.scopes, one))
      return { refreshToken, scope, client: await clientOf(grant), user: userOf(grant) }
    },
    // `saveToken` uses it up in the write that replaces it, so that a crash in between costs nobody their sign-in.
    revokeToken: async () => true,
    async saveToken(token: { scope: string[] }, client: unknown, user: ReturnType<typeof userOf>) {
      const tokens = { ...user.tokens, scopes: granted(token.scope) || [] }
      const isIssued = await issueTokens(store, { keyId: user.keyId, tokens, renewed, secret })
      if (!isIssued) throw new InvalidGrantError('Invalid grant: it has ended')
      await keyRing.forget()
      return { ...token, ...tokens, client, user, tokens }
    },
  }
  const options = {
    accessTokenLifetime: TOKEN_SECONDS,
    refreshTokenLifetime: RENEWABLE_SECONDS,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  }
  const token = await unlessRefused(() =>
    serverOf(model).token(requestOf('POST', {}, withKnownScopes(parameters)), new Response(), options),
  )
  return token.tokens as AppTokens
}

/** Drops unknown scopes, as in a request for consent, unless there are no others. */
function withKnownScopes(parameters: Parameters): Parameters {
  const known = knownIn(parameters.scope?.split(' ') ?? [])
  return known.length === 0 ? parameters : { ...parameters, scope: known.join(' ') }
}

function knownIn(asked: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => asked.includes(scope))
}

/** The scopes that a request gets, with those that they include; false if it asks only for unknown ones. */
export function granted(asked: readonly string[] = ['links:write']): Scope[] | false {
  const known = knownIn(asked)
  return known.length > 0 && keptScopes(SCOPES.filter((scope) => allows(known, scope)))
}

function serverOf(model: object): OAuth2Server {
  return new OAuth2Server({ model: model as OAuth2Server.AuthorizationCodeModel })
}

function requestOf(method: string, query: Parameters, body: Parameters): OAuth2Server.Request {
  // The library recognises a form by these two.
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' }
  return new Request({ method, query, body, headers })
}

async function unlessRefused<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ServerError) throw (error as { inner?: unknown }).inner ?? error
    if (error instanceof OAuthError) throw new Refused(error.name, error.message, error.code)
    throw error
  }
}
