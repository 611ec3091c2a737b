import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as oauth4webapi from 'oauth4webapi'
import * as openid from 'openid-client'
import { makeCertificate, trusting } from '../certificate.ts'
import { need } from '../needs.ts'
import { approve, DEVICE_GRANT, decideDevice, newApp, reach } from '../oauth.ts'
import { newPerson, type Person } from '../people.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'
import { Keeper, legacyOAuthAgent, modernOAuthAgent } from './oauth-clients.ts'

// Other people's clients sign in by a document that they publish, and on a device.

setDefaultTimeout(180_000)

const CALLBACK = 'http://127.0.0.1:7777/callback'

describe.each(RUNTIMES.map((runtime) => ({ runtime })))('on $runtime', ({ runtime }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openall-'))
  let site: ReturnType<typeof Bun.serve>
  let server: Server
  let person: Person
  beforeAll(async () => {
    need('openssl')
    const { key, cert } = makeCertificate(folder, 'localhost')
    site = Bun.serve({
      port: 0,
      hostname: 'localhost',
      tls: { key: Bun.file(key), cert: Bun.file(cert) },
      fetch: ({ url }) => Response.json({ client_id: url, client_name: 'A client', redirect_uris: [CALLBACK] }),
    })
    server = await startServer({ runtime, env: { ...trusting(cert), SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' } })
    person = await newPerson(server)
  })
  afterAll(async () => {
    await server?.stop()
    await site?.stop(true)
    rmSync(folder, { recursive: true, force: true })
  })
  const documentAt = (path: string) => `https://localhost:${site.port}${path}`
  const approved = (url: URL) => approve(person, url.pathname + url.search)
  const forDevices = () => newApp(server, { grant_types: [DEVICE_GRANT], redirect_uris: [] })

  test.each([
    ['1.x', legacyOAuthAgent],
    ['2.x', modernOAuthAgent],
  ] as const)('the official MCP client %s signs in by its document', async (line, agentOf) => {
    const keeper = new Keeper(`Agent ${line}`, CALLBACK, documentAt(`/agent-${line}`))
    const agent = agentOf(`${server.origin}/api/mcp`, keeper)
    await agent.connect().catch(() => {})
    expect(keeper.asked?.searchParams.get('client_id')).toBe(documentAt(`/agent-${line}`))
    await agent.finish(await approved(keeper.asked!))
    expect(await agent.connect()).toContain('create_bundle')
    expect(await agent.renew()).toBe('AUTHORIZED')
    expect(await agent.connect()).toContain('list_bundles')
  })

  test('oauth4webapi signs in by a document, renews, asks about its token and revokes it', async () => {
    const insecure = { [oauth4webapi.allowInsecureRequests]: true }
    const issuer = new URL(server.origin)
    const discovered = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    const as = await oauth4webapi.processDiscoveryResponse(issuer, discovered)
    expect(as.client_id_metadata_document_supported).toBe(true)
    const client = { client_id: documentAt('/oauth4webapi') }
    const none = oauth4webapi.None()
    const verifier = oauth4webapi.generateRandomCodeVerifier()
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: `${server.origin}/api`,
      scope: 'links:read',
    }).toString()
    const back = oauth4webapi.validateAuthResponse(as, client, await approved(url))
    const answer = await oauth4webapi.authorizationCodeGrantRequest(
      as,
      client,
      none,
      back,
      CALLBACK,
      verifier,
      insecure,
    )
    const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, answer)
    expect(await reach(server, tokens.access_token)).toEqual({ mcp: 200, api: 200 })
    const renewing = await oauth4webapi.refreshTokenGrantRequest(as, client, none, tokens.refresh_token ?? '', insecure)
    const renewed = await oauth4webapi.processRefreshTokenResponse(as, client, renewing)
    const byToken: oauth4webapi.ClientAuth = (_as, _client, _body, headers) =>
      headers.set('authorization', `Bearer ${renewed.access_token}`)
    const asked = await oauth4webapi.introspectionRequest(as, client, byToken, renewed.access_token, insecure)
    const known = await oauth4webapi.processIntrospectionResponse(as, client, asked)
    expect(known).toMatchObject({ active: true, scope: 'links:read', sub: person.userId })
    const revoked = await oauth4webapi.revocationRequest(as, client, none, renewed.access_token, insecure)
    await oauth4webapi.processRevocationResponse(revoked)
    expect(await reach(server, renewed.access_token)).toEqual({ mcp: 401, api: 401 })
  })

  test('oauth4webapi signs in on a device', async () => {
    const insecure = { [oauth4webapi.allowInsecureRequests]: true }
    const issuer = new URL(server.origin)
    const discovered = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    const as = await oauth4webapi.processDiscoveryResponse(issuer, discovered)
    const client = { client_id: await forDevices() }
    const none = oauth4webapi.None()
    const asked = new URLSearchParams({ scope: 'links:write', resource: `${server.origin}/api` })
    const begun = await oauth4webapi.deviceAuthorizationRequest(as, client, none, asked, insecure)
    const device = await oauth4webapi.processDeviceAuthorizationResponse(as, client, begun)
    expect(device.verification_uri_complete).toBeUndefined()
    expect((await decideDevice(person, device.user_code)).status).toBe(200)
    const answer = await oauth4webapi.deviceCodeGrantRequest(as, client, none, device.device_code, insecure)
    const tokens = await oauth4webapi.processDeviceCodeResponse(as, client, answer)
    expect(await reach(server, tokens.access_token)).toEqual({ mcp: 200, api: 200 })
  })

  test('openid-client signs in by a document, and on a device that waits', async () => {
    const options = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const }
    const discover = (id: string) => openid.discovery(new URL(server.origin), id, undefined, openid.None(), options)
    const config = await discover(documentAt('/openid-client'))
    const verifier = openid.randomPKCECodeVerifier()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: `${server.origin}/api`,
    })
    const tokens = await openid.authorizationCodeGrant(config, await approved(url), { pkceCodeVerifier: verifier })
    expect(await reach(server, tokens.access_token)).toEqual({ mcp: 200, api: 200 })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(await reach(server, renewed.access_token)).toEqual({ mcp: 200, api: 200 })

    const onDevice = await discover(await forDevices())
    const device = await openid.initiateDeviceAuthorization(onDevice, { scope: 'links:write' })
    const waiting = openid.pollDeviceAuthorizationGrant(onDevice, device)
    expect((await decideDevice(person, device.user_code)).status).toBe(200)
    expect(await reach(server, (await waiting).access_token)).toMatchObject({ mcp: 200 })
  })
})
