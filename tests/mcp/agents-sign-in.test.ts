import { expect, test } from 'bun:test'
import { eventually } from '../eventually.ts'
import { approve, DEVICE_GRANT, newProof, post, reach, register } from '../oauth.ts'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Agent {
  name: string
  /** What it registers besides its name. */
  registers: { redirect_uris: string[]; [field: string]: unknown }
  /** The redirect URI that it then uses, if it is not the first. */
  returnsTo?: string
  /** What it asks a person for. */
  asks: Record<string, string>
  /** What it sends along for tokens and to renew them. */
  redeems?: Record<string, string>
  renews?: Record<string, string>
  /** What it gets. */
  scope: string
}

const PUBLIC = { response_types: ['code'], token_endpoint_auth_method: 'none' }
const GRANTS = ['authorization_code', 'refresh_token']
const USUAL = 'links:read links:write'
const EVERYTHING = 'links:read links:propose links:write webhooks:write keys:admin'
/** The same, without what others include. */
const EVERYTHING_SHORT = 'links:read links:write keys:admin'

/**
 * What agents send, by their documentation and source where that is public (November 2026). Where an agent asks for what
 * metadata offers, that is what it asks for here: `scopes_supported` of the resource, or of the server with `offline_access`.
 */
function agents(origin: string): Agent[] {
  const resource = `${origin}/api/mcp`
  return [
    {
      name: 'ChatGPT',
      registers: {
        redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
        grant_types: GRANTS,
        ...PUBLIC,
      },
      asks: { resource: `${resource}?utm_source=plugin`, scope: `${EVERYTHING} mcp:tools offline_access` },
      redeems: { resource: `${resource}?utm_source=plugin` },
      renews: { resource: `${resource}?utm_source=plugin`, scope: `${EVERYTHING} mcp:tools` },
      scope: EVERYTHING_SHORT,
    },
    {
      name: 'Claude',
      registers: { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'], grant_types: GRANTS, ...PUBLIC },
      asks: { resource, scope: USUAL },
      redeems: { resource },
      renews: { resource, scope: USUAL },
      scope: USUAL,
    },
    {
      // Names no method of authentication, and no scope.
      name: 'Microsoft Copilot Studio',
      registers: {
        redirect_uris: ['https://global.consent.azure-apim.net/redirect/cr938-5fopenall-5f43bcb8573bc3e84'],
      },
      asks: {},
      scope: USUAL,
    },
    {
      name: 'Cursor',
      registers: { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'], grant_types: GRANTS, ...PUBLIC },
      asks: { resource: `${resource}/`, scope: 'offline_access' },
      redeems: { resource: `${resource}/` },
      renews: { resource: `${resource}/` },
      scope: USUAL,
    },
    {
      // Registers for devices too, and returns to a free port.
      name: 'Visual Studio Code',
      registers: {
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://127.0.0.1/',
          'http://127.0.0.1:33418/',
        ],
        grant_types: [...GRANTS, DEVICE_GRANT],
        application_type: 'native',
        ...PUBLIC,
      },
      returnsTo: 'http://127.0.0.1:51234/',
      asks: { resource, scope: USUAL },
      redeems: { resource },
      scope: USUAL,
    },
    {
      // Renews with every scope that it asked for.
      name: 'Gemini CLI MCP Client',
      registers: { redirect_uris: ['http://localhost:7777/oauth/callback'], grant_types: GRANTS, scope: '', ...PUBLIC },
      asks: { resource, scope: EVERYTHING },
      redeems: { resource },
      renews: { resource, scope: EVERYTHING },
      scope: EVERYTHING_SHORT,
    },
    {
      // Its user typed the address of the service alone.
      name: 'OpenCode',
      registers: {
        redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
        client_uri: 'https://opencode.ai',
        grant_types: GRANTS,
        ...PUBLIC,
      },
      asks: { resource: `${origin}/`, scope: 'openid profile email offline_access links:read' },
      redeems: { resource: `${origin}/` },
      renews: { resource: `${origin}/`, scope: 'openid links:read offline_access' },
      scope: 'links:read',
    },
    {
      name: 'An agent whose user types in capitals',
      registers: { redirect_uris: ['https://agent.example/callback'] },
      asks: {
        resource: `${resource.replace('http://localhost', 'HTTP://LOCALHOST')}#mcp`,
        scope: 'openid profile email',
      },
      redeems: { resource: `${resource}#mcp` },
      renews: { scope: 'offline_access' },
      scope: USUAL,
    },
  ]
}

onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000' }, (at) => {
  const renewal = new Map<string, () => Promise<void>>()

  test.each(agents('http://x').map(({ name }) => name))('%s registers, signs in and calls a tool', async (name) => {
    const agent = agents(at().origin).find((one) => one.name === name)!
    const { registers, asks, redeems = {}, renews = {}, scope } = agent
    const app = await register(at(), { client_name: name, ...registers })
    expect([app.status, app.body.redirect_uris]).toEqual([201, registers.redirect_uris])
    const { client_id } = app.body
    const redirect_uri = agent.returnsTo ?? registers.redirect_uris[0]!
    const { verifier, challenge } = newProof()
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
    const query = { response_type: 'code', client_id, redirect_uri, state: 'state', ...proof, ...asks }
    const back = await approve(await newPerson(at()), `/oauth/authorize?${new URLSearchParams(query)}`)
    expect([`${back}`.split('?')[0], back.searchParams.get('state')]).toEqual([redirect_uri, 'state'])
    const code = back.searchParams.get('code') ?? ''
    const redeemed = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier, redirect_uri }
    const { status, body } = await post(at(), 'token', { ...redeemed, ...redeems })
    expect([status, body.scope, body.expires_in]).toEqual([200, scope, 3600])
    expect((await reach(at(), body.access_token)).mcp).toBe(200)
    renewal.set(name, async () => {
      const isOver = async () => (await reach(at(), body.access_token)).mcp === 401
      await eventually(isOver, 'the hour of the token is over')
      const renewed = { grant_type: 'refresh_token', client_id, refresh_token: body.refresh_token }
      const again = await post(at(), 'token', { ...renewed, ...renews })
      expect([name, again.status, again.body.scope]).toEqual([name, 200, scope])
      expect((await reach(at(), again.body.access_token)).mcp).toBe(200)
    })
  })

  test('after an hour each of them renews its token and calls again', async () => {
    // A token is valid for an hour; keys that were just read are trusted for a second.
    await at().sql('UPDATE app_grants SET expires_at = expires_at - 3600000')
    expect(renewal.size).toBe(agents('').length)
    for (const renews of renewal.values()) await renews()
  })

  test('metadata offers offline_access, for the server alone', async () => {
    const read = async (path: string) =>
      (await (await fetch(`${at().origin}/.well-known/${path}`)).json()) as { scopes_supported: string[] }
    expect((await read('oauth-authorization-server')).scopes_supported).toContain('offline_access')
    expect((await read('oauth-protected-resource/api/mcp')).scopes_supported).not.toContain('offline_access')
  })

  test('a device asks with the same words', async () => {
    const { origin } = at()
    const asked = { client_id: 'openall-cli', scope: 'openid offline_access', resource: `${origin}/api?x=1` }
    expect((await post(at(), 'device_authorization', asked)).status).toBe(200)
    const strange = { ...asked, scope: 'mcp:tools' }
    expect((await post(at(), 'device_authorization', strange)).body.error).toBe('invalid_scope')
  })

  test('a resource that is another’s is refused, however much it looks like ours', async () => {
    const person = await newPerson(at())
    const { host, origin } = new URL(at().origin)
    const { body } = await register(at(), {})
    const { challenge } = newProof()
    const redirect_uri = body.redirect_uris[0]!
    const strange = [
      `http://ada@${host}/api/mcp`,
      `http://${host}.evil.example/api/mcp`,
      `http://evil.example/?${origin}/api/mcp`,
      `ftp://${host}/api/mcp`,
      `${origin}/api/mcp/more`,
      `${origin}/dashboard`,
      'api/mcp',
    ]
    for (const resource of strange) {
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      const query = { response_type: 'code', client_id: body.client_id, redirect_uri, ...proof, resource }
      const answer = await person.fetch(`/oauth/authorize?${new URLSearchParams(query)}`)
      expect([resource, answer.status]).toEqual([resource, 400])
    }
  })
})
