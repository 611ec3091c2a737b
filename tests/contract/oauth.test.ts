import { expect, test } from 'bun:test'
import { OAuthMetadataSchema, OAuthProtectedResourceMetadataSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import {
  approve,
  askPath,
  backTo,
  newApp,
  newProof,
  post,
  REDIRECT,
  reach,
  redeem,
  refresh,
  register,
  signInApp,
} from '../oauth.ts'
import { mailTo, newOrganization, newPerson, signUp, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const OTHER = 'https://evil.example/callback'

// Apps of all tests share an address.
onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000' }, (at) => {
  const get = (path: string) => fetch(at().origin + path, { redirect: 'manual' })
  const keysOf = async (person: Visitor) => {
    const { body } = await person.api<{
      apiKeys: { id: number; name: string; app: unknown; revokedAt: string | null }[]
    }>('GET', '/api/me/keys')
    return body.apiKeys
  }

  test('a client without a key is told where to sign in, and finds everything from there', async () => {
    const { origin } = at()
    const refused = await fetch(`${origin}/api/mcp`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    const said = refused.headers.get('www-authenticate') ?? ''
    expect(said).toStartWith('Bearer ')
    const metadata = /resource_metadata="([^"]+)"/.exec(said)?.[1] ?? ''
    const resource = OAuthProtectedResourceMetadataSchema.parse(await (await fetch(metadata)).json())
    expect([resource.resource, resource.authorization_servers]).toEqual([`${origin}/api/mcp`, [origin]])
    const found = await get('/.well-known/oauth-authorization-server')
    expect(found.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(OAuthMetadataSchema.parse(await found.json())).toMatchObject({
      issuer: origin,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
    for (const path of ['', '/api', '/api/mcp'])
      expect((await get(`/.well-known/oauth-protected-resource${path}`)).status).toBe(200)
  })

  test('a bad token is refused with the same header, and what is missing is never an HTML page', async () => {
    const { origin } = at()
    const headers = { authorization: 'Bearer oa_nonsense' }
    const refused = await fetch(`${origin}/api/mcp`, { method: 'POST', body: '{}', headers })
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-protected-resource/x',
      '/register',
      '/oauth/token',
    ]) {
      const answer = await fetch(origin + path, { method: 'POST', body: '{}' })
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8'])
    }
  })

  test('an app signs in, calls tools, renews its token and revokes it', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person, { ask: { scope: 'links:read', resource: `${at().origin}/api/mcp` } })
    expect(app.scope).toBe('links:read')
    expect(await reach(at(), app.accessToken)).toEqual({ mcp: 200, api: 401 })
    const { status, body } = await refresh(at(), app)
    expect([status, body.scope, body.expires_in]).toEqual([200, 'links:read', 3600])
    expect(body.refresh_token).not.toBe(app.refreshToken)
    // The former text is the former key's: only one works at a time.
    expect(await reach(at(), app.accessToken)).toEqual({ mcp: 401, api: 401 })
    expect(await reach(at(), body.access_token)).toEqual({ mcp: 200, api: 401 })
    expect((await post(at(), 'revoke', { token: body.refresh_token, client_id: app.clientId })).status).toBe(200)
    expect(await reach(at(), body.access_token)).toEqual({ mcp: 401, api: 401 })
    const again = await refresh(at(), { ...app, refreshToken: body.refresh_token })
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('no token and no code is stored as it is', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at())
    const { verifier, challenge } = newProof()
    const code = (await approve(person, askPath(clientId, challenge))).searchParams.get('code') ?? ''
    const { body } = await redeem(at(), clientId, code, verifier)
    await refresh(at(), { clientId, refreshToken: body.refresh_token, accessToken: '', scope: '' })
    const tables = await Promise.all(
      ['api_keys', 'app_grants', 'app_refresh_tokens'].map((name) => at().sql(`SELECT * FROM ${name}`)),
    )
    const stored = JSON.stringify(tables, (_, value) =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value)
        ? Buffer.from(value as Uint8Array).toString('latin1')
        : value,
    )
    for (const text of [code, body.refresh_token, body.access_token.split('.')[1] ?? ''])
      expect(stored).not.toContain(text)
  })

  test('a token for the whole API is valid for MCP too, and one without a resource only for MCP', async () => {
    const person = await newPerson(at())
    const whole = await signInApp(at(), person, { ask: { resource: `${at().origin}/api` } })
    expect(await reach(at(), whole.accessToken)).toEqual({ mcp: 200, api: 200 })
    const narrow = await signInApp(at(), person)
    expect(await reach(at(), narrow.accessToken)).toEqual({ mcp: 200, api: 401 })
  })

  test('the person is asked in words: who, what, for whom, and where it leads', async () => {
    const person = await newPerson(at())
    const { id } = await newOrganization(person)
    const clientId = await newApp(at(), { client_name: '<b>Sly & Co</b>', redirect_uris: ['http://127.0.0.1:7777/cb'] })
    const path = askPath(clientId, newProof().challenge, {
      redirect_uri: 'http://127.0.0.1:9999/cb',
      scope: 'keys:admin',
    })
    const answer = await person.fetch(path)
    const html = await answer.text()
    expect(answer.status).toBe(200)
    for (const text of ['&lt;b', 'Sly &amp; Co', '127.0.0.1', 'on this computer', 'keys:admin', person.email, id])
      expect(html).toContain(text)
    expect(html).not.toContain('<b>Sly')
    // A frame of another site could have its visitor press the button unseen.
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await keysOf(person)).toEqual([])
  })

  test('an extension is named as one of the browser by its id, and no site is that looks like one', async () => {
    const person = await newPerson(at())
    const page = async (redirect_uri: string) => {
      const app = { client_name: 'Openall extension', redirect_uris: [redirect_uri] }
      return (await person.fetch(askPath(await newApp(at(), app), newProof().challenge, { redirect_uri }))).text()
    }
    const [chromium, firefox] = ['abcdefghijklmnop'.repeat(2), '0123456789'.repeat(4)]
    for (const [id, host] of [
      [chromium, `${chromium}.chromiumapp.org`],
      [firefox, `${firefox}.extensions.allizom.org`],
    ] as const) {
      const words = (await page(`https://${host}/`)).replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
      expect(words).toContain(`The extension in your browser with the id ${id}`)
      expect(words).not.toContain(host)
      expect(words).toContain('It chose its name itself')
      const redirect_uri = `https://${host}/`
      const clientId = await newApp(at(), { redirect_uris: [redirect_uri] })
      const { verifier, challenge } = newProof()
      const back = await approve(person, askPath(clientId, challenge, { redirect_uri }))
      expect(back.origin).toBe(`https://${host}`)
      const code = back.searchParams.get('code') ?? ''
      expect((await redeem(at(), clientId, code, verifier, { redirect_uri })).status).toBe(200)
    }
    expect(await (await person.fetch('/dashboard/keys')).text()).toContain('an extension of a browser')
    for (const host of [`${chromium}.chromiumapp.org.evil.example`, `x.${chromium}.chromiumapp.org`, 'chromiumapp.org'])
      expect(await page(`https://${host}/`)).not.toContain('extension in your browser')
  })

  test('who is signed out is asked to sign in and comes back, and Cancel tells the app', async () => {
    const clientId = await newApp(at())
    const path = askPath(clientId, newProof().challenge, { state: 'a~b*c d/?&=' })
    const stranger = await new Visitor(at()).fetch(path)
    expect(stranger.status).toBe(303)
    const next = new URLSearchParams(stranger.headers.get('location')?.split('?')[1]).get('next') ?? ''
    const person = await newPerson(at())
    expect((await person.fetch(next)).status).toBe(200)
    const back = backTo(await person.form(next, { decision: 'cancel', subject: '' }))
    expect(back?.origin).toBe('https://app.example')
    expect(Object.fromEntries(back?.searchParams ?? [])).toMatchObject({
      error: 'access_denied',
      state: 'a~b*c d/?&=',
      iss: at().origin,
    })
    expect(await keysOf(person)).toEqual([])
  })

  test('a token is listed beside keys with its app, can be revoked there, and its owner gets a mail', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person, { app: { client_name: 'Listed app' } })
    const [listed, ...others] = await keysOf(person)
    expect(others).toEqual([])
    expect(listed).toMatchObject({
      name: 'Listed app',
      app: { name: 'Listed app', host: 'app.example' },
      revokedAt: null,
    })
    expect(await (await person.fetch('/dashboard/keys')).text()).toContain('app.example')
    expect((await mailTo(at(), person.email, 'New app connected')).text).toContain('Listed app')
    expect((await person.form(`/dashboard/keys/${listed?.id}/revoke`, {})).status).toBe(303)
    expect(await reach(at(), app.accessToken)).toEqual({ mcp: 401, api: 401 })
    expect((await refresh(at(), app)).body.error).toBe('invalid_grant')
  })

  test('nobody rotates what an app renews by itself, and the app goes on', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person, { ask: { resource: `${at().origin}/api`, scope: 'links:write' } })
    const id = (await keysOf(person))[0]?.id ?? 0
    const admin = await person.program({ scopes: ['keys:admin'] })
    for (const who of [person, admin]) {
      const { status, body } = await who.api('POST', `/api/me/keys/${id}/rotate`, {})
      expect([status, body.code]).toEqual([409, 'KEY_NOT_ROTATABLE'])
    }
    const page = await person.fetch(`/dashboard/keys/${id}/rotate`)
    expect([page.status, page.headers.get('location')]).toEqual([303, '/dashboard/keys'])
    expect(await keysOf(person)).toHaveLength(2)
    expect(await reach(at(), app.accessToken)).toEqual({ mcp: 200, api: 200 })
    expect((await refresh(at(), app)).status).toBe(200)
  })

  test('an organisation’s token needs an admin, has their current role, and ends when they leave', async () => {
    const [owner, admin] = [await newPerson(at()), await newPerson(at())]
    const { id, memberIds } = await newOrganization(owner, [[admin, 'editor']])
    const clientId = await newApp(at())
    const { verifier, challenge } = newProof()
    const path = askPath(clientId, challenge, { resource: `${at().origin}/api` })
    const refused = await admin.form(path, { decision: 'connect', subject: id })
    expect([refused.status, backTo(refused)]).toEqual([403, null])
    const change = (line: string, fields: object) =>
      owner.api('POST', `/api/auth/organization/${line}`, { ...fields, organizationId: id })
    await change('update-member-role', { memberId: memberIds.get(admin), role: 'admin' })
    const code = (await approve(admin, path, id)).searchParams.get('code') ?? ''
    const { body } = await redeem(at(), clientId, code, verifier)
    const agent = new Visitor(at(), { authorization: `Bearer ${body.access_token}` })
    expect((await agent.api('GET', '/api/me')).body).toMatchObject({ subject: { organizationId: id }, role: 'admin' })
    await change('update-member-role', { memberId: memberIds.get(admin), role: 'viewer' })
    expect((await agent.api('POST', '/api/links', { urls: ['https://a.example/'] })).status).toBe(403)
    await change('remove-member', { memberIdOrEmail: memberIds.get(admin) })
    expect((await agent.api('GET', '/api/me')).status).toBe(401)
    const renewed = await refresh(at(), { clientId, refreshToken: body.refresh_token, accessToken: '', scope: '' })
    expect(renewed.body.error).toBe('invalid_grant')
  })

  test('a deleted account’s tokens end, and an unverified address connects nothing', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    expect((await person.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    expect((await refresh(at(), app)).body.error).toBe('invalid_grant')
    expect(await reach(at(), app.accessToken)).toEqual({ mcp: 401, api: 401 })
    const squatter = await signUp(at())
    const path = askPath(await newApp(at()), newProof().challenge)
    for (const answer of [await squatter.fetch(path), await squatter.form(path, { decision: 'connect', subject: '' })])
      expect([answer.status, backTo(answer)]).toEqual([403, null])
  })

  test('registration takes only what an app needs, and bounds it', async () => {
    const bad: [Record<string, unknown>, string][] = [
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: 'https://app.example/' }, 'invalid_client_metadata'],
      [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://app.example/${n}`) }, 'invalid_redirect_uri'],
      [{ redirect_uris: [`https://app.example/${'x'.repeat(1000)}`] }, 'invalid_redirect_uri'],
      [{ client_name: 'x'.repeat(101) }, 'invalid_client_metadata'],
      [{ client_name: 'Bank\u202egnp' }, 'invalid_client_metadata'],
      [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      ...[
        'http://app.example/cb',
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'intent://x#Intent;end',
        'ms-msdt:/id',
        'ms-msdt://x/id',
        'search-ms:query=x',
        'feed:javascript:alert(1)',
        'view-source:https://a.example/',
        'web+app://x/cb',
        'steam://run/1',
        'cursors://x/cb',
        'x.y',
        'https://app.example/cb#x',
        'https://user:pass@app.example/cb',
        'https://app.example\\@evil.example/',
        'https://a.example;script-src/cb',
        'http://127.0.0.1.evil.example/cb',
        '//evil.example/cb',
        '/cb',
      ].map((uri): [Record<string, unknown>, string] => [{ redirect_uris: [uri] }, 'invalid_']),
    ]
    for (const [fields, error] of bad) {
      const { status, body } = await register(at(), fields)
      expect([fields, status, body.error]).toEqual([fields, 400, expect.stringContaining(error)])
      expect(body.error_description.length).toBeGreaterThan(10)
    }
    for (const uri of [
      'http://localhost:1/cb',
      'http://[::1]/cb',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'vscode://vscode.microsoft-authentication',
      'vscode-insiders://x/cb',
      'windsurf://x/cb',
      'zed://x/cb',
      'com.example.app:/cb',
      'https://a.example/cb?x=1',
    ])
      expect((await register(at(), { redirect_uris: [uri] })).status).toBe(201)
    // A secret that anybody can ask for proves nothing.
    const secret = await register(at(), { token_endpoint_auth_method: 'client_secret_post' })
    expect(secret.body).toMatchObject({ token_endpoint_auth_method: 'none' })
    expect(secret.body).not.toHaveProperty('client_secret')
  })

  test('a forged or changed client id is nobody', async () => {
    const person = await newPerson(at())
    const [said = '', signature = ''] = (await newApp(at())).split('.')
    const changed = Buffer.from(said, 'base64url').toString().replace('app.example', 'evil.example')
    for (const id of [
      'x',
      `${said}.`,
      `${said}.${signature}x`,
      `${Buffer.from(changed).toString('base64url')}.${signature}`,
    ]) {
      const path = askPath(id, newProof().challenge, { redirect_uri: OTHER })
      const answer = await person.form(path, { decision: 'connect', subject: '' })
      expect([answer.status, backTo(answer), answer.headers.get('location')]).toEqual([400, null, null])
    }
  })

  test('a browser is sent only where the app registered: no other host, path, query, scheme or repeated parameter', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at(), { redirect_uris: [REDIRECT, 'http://127.0.0.1/cb'] })
    const uris = [
      OTHER,
      `${REDIRECT}/x`,
      `${REDIRECT}?next=${OTHER}`,
      `${REDIRECT}/../x`,
      REDIRECT.replace('https', 'http'),
      REDIRECT.toUpperCase(),
      `${REDIRECT}#x`,
      `${REDIRECT}@evil.example`,
      'http://127.0.0.1:80@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://localhost/cb',
      'http://127.0.0.1:8080/other',
      'https://127.0.0.1:8080/cb',
      'javascript:alert(1)',
    ]
    const { challenge } = newProof()
    const paths = uris.map((uri) => askPath(clientId, challenge, { redirect_uri: uri }))
    paths.push(askPath(clientId, challenge, { redirect_uri: null }))
    paths.push(`${askPath(clientId, challenge)}&redirect_uri=${encodeURIComponent(OTHER)}`)
    for (const path of paths) {
      for (const answer of [await person.fetch(path), await person.form(path, { decision: 'connect', subject: '' })])
        expect([path, answer.status, backTo(answer), answer.headers.get('location')]).toEqual([path, 400, null, null])
    }
    // Programs get a free port when they start.
    const back = await approve(person, askPath(clientId, challenge, { redirect_uri: 'http://127.0.0.1:54321/cb' }))
    expect(back.origin).toBe('http://127.0.0.1:54321')
  })

  test('a wrong request never redirects by itself: it would make this service an open redirect', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at(), { redirect_uris: [OTHER] })
    const { challenge } = newProof()
    const wrong: Record<string, string | null>[] = [
      { response_type: 'token' },
      { response_type: 'nonsense' },
      { scope: 'everything' },
      { scope: '"' },
      { resource: 'https://evil.example/api/mcp' },
      { resource: `${at().origin}/api/links` },
      { code_challenge: null },
      { request_uri: OTHER },
      { prompt: 'none', scope: 'none' },
    ]
    for (const more of wrong) {
      const answer = await person.fetch(askPath(clientId, challenge, { redirect_uri: OTHER, ...more }))
      expect([more, answer.status, backTo(answer), answer.headers.get('location')]).toEqual([more, 400, null, null])
    }
  })

  test('PKCE cannot be left out or weakened, and a wrong verifier uses the code up', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at())
    const { verifier, challenge } = newProof()
    const weak: Record<string, string | null>[] = [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: null },
      { code_challenge_method: 'plain' },
      { code_challenge_method: 's256' },
      { code_challenge: 'short' },
    ]
    for (const more of weak) {
      const path = askPath(clientId, challenge, more)
      const answer = await person.form(path, { decision: 'connect', subject: '' })
      expect([more, answer.status, backTo(answer)]).toEqual([more, 400, null])
    }
    const wrong = [{ code_verifier: '' }, { code_verifier: newProof().verifier }, { code_verifier: challenge }]
    for (const more of wrong) {
      const code = (await approve(person, askPath(clientId, challenge))).searchParams.get('code') ?? ''
      const refused = await redeem(at(), clientId, code, verifier, more)
      expect([more, refused.status, refused.body.error]).toEqual([more, 400, expect.stringMatching(/^invalid_/)])
      expect((await redeem(at(), clientId, code, verifier)).body.error).toBe('invalid_grant')
    }
  })

  test('a code is good once: used again, it also ends what it gave', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at())
    const { verifier, challenge } = newProof()
    const code = (await approve(person, askPath(clientId, challenge))).searchParams.get('code') ?? ''
    const first = await redeem(at(), clientId, code, verifier)
    expect(await reach(at(), first.body.access_token)).toMatchObject({ mcp: 200 })
    const second = await redeem(at(), clientId, code, verifier)
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    expect(await reach(at(), first.body.access_token)).toMatchObject({ mcp: 401 })
    expect(
      (await refresh(at(), { clientId, refreshToken: first.body.refresh_token, accessToken: '', scope: '' })).status,
    ).toBe(400)
  })

  test('of many requests with one code, at most one gets a token', async () => {
    const person = await newPerson(at())
    const clientId = await newApp(at())
    const { verifier, challenge } = newProof()
    const code = (await approve(person, askPath(clientId, challenge))).searchParams.get('code') ?? ''
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(at(), clientId, code, verifier)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    for (const { status, body } of answers)
      if (status === 200) expect(await reach(at(), body.access_token)).toMatchObject({ mcp: 401 })
  })

  test('a code is for its app, its redirect URI, its resource and two minutes', async () => {
    const person = await newPerson(at())
    const [clientId, other] = [await newApp(at()), await newApp(at(), { client_name: 'Another' })]
    const { verifier, challenge } = newProof()
    const ask = async () => (await approve(person, askPath(clientId, challenge))).searchParams.get('code') ?? ''
    const code = await ask()
    expect((await redeem(at(), other, code, verifier)).body.error).toBe('invalid_grant')
    expect((await redeem(at(), clientId, code, verifier, { resource: `${at().origin}/api` })).body.error).toBe(
      'invalid_target',
    )
    expect((await redeem(at(), clientId, code, verifier, { redirect_uri: OTHER })).status).toBe(400)
    const wait = (ms: number) =>
      at().sql('UPDATE app_grants SET code_expires_at = code_expires_at - ? WHERE code_used_at IS NULL', [ms])
    const inTime = await ask()
    await wait(60_000)
    expect((await redeem(at(), clientId, inTime, verifier)).status).toBe(200)
    const late = await ask()
    await wait(120_000)
    expect((await redeem(at(), clientId, late, verifier)).body.error).toBe('invalid_grant')
    for (const grant_type of ['password', 'client_credentials', 'implicit', '']) {
      const { status } = await post(at(), 'token', { grant_type, client_id: clientId, username: 'x', password: 'y' })
      expect([grant_type, status]).toEqual([grant_type, 400])
    }
  })

  test('renewing never widens: other scopes, another app’s token and another resource are refused', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person, { ask: { scope: 'links:write' } })
    expect(app.scope).toBe('links:read links:write')
    expect((await refresh(at(), app, { scope: 'keys:admin' })).body.error).toBe('invalid_scope')
    expect((await refresh(at(), app, { scope: 'links:write keys:admin' })).body.error).toBe('invalid_scope')
    expect((await refresh(at(), app, { resource: `${at().origin}/api` })).body.error).toBe('invalid_target')
    expect((await refresh(at(), app, { client_id: await newApp(at(), { client_name: 'Thief' }) })).body.error).toBe(
      'invalid_grant',
    )
    const narrowed = await refresh(at(), app, { scope: 'links:read' })
    expect([narrowed.status, narrowed.body.scope]).toEqual([200, 'links:read'])
    const widened = await refresh(at(), { ...app, refreshToken: narrowed.body.refresh_token })
    expect(widened.body.scope).toBe('links:read links:write')
  })

  test('a refresh token used twice is a stolen one: the app’s sign-in ends', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    const renewed = await refresh(at(), app)
    await at().sql('UPDATE app_refresh_tokens SET used_at = used_at - 60000 WHERE used_at IS NOT NULL')
    const stolen = await refresh(at(), app)
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect(await reach(at(), renewed.body.access_token)).toMatchObject({ mcp: 401 })
    expect((await refresh(at(), { ...app, refreshToken: renewed.body.refresh_token })).status).toBe(400)
    expect((await keysOf(person))[0]?.revokedAt).not.toBeNull()
  })

  test('requests that renew at once, or ask again for an answer that was lost, all get the same tokens', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(at(), app)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
    expect(await reach(at(), answers[0]?.body.access_token ?? '')).toMatchObject({ mcp: 200 })
    // Another app that has the token gets nothing, and ends it.
    const thief = await refresh(at(), app, { client_id: await newApp(at(), { client_name: 'Thief' }) })
    expect(thief.body.error).toBe('invalid_grant')
  })

  test('only its own app revokes a token, and an unknown one is as good as revoked', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    const other = await newApp(at(), { client_name: 'Another' })
    for (const token of [app.accessToken, app.refreshToken, 'nonsense'])
      expect((await post(at(), 'revoke', { token, client_id: other })).status).toBe(200)
    expect(await reach(at(), app.accessToken)).toMatchObject({ mcp: 200 })
    expect((await post(at(), 'revoke', { client_id: app.clientId })).body.error).toBe('invalid_request')
    expect((await post(at(), 'revoke', { token: app.accessToken, client_id: app.clientId })).status).toBe(200)
    expect(await reach(at(), app.accessToken)).toMatchObject({ mcp: 401 })
    expect((await refresh(at(), app)).body.error).toBe('invalid_grant')
  })

  test('consent is given on our own page only, by POST, and by a person', async () => {
    const person = await newPerson(at())
    const path = askPath(await newApp(at()), newProof().challenge)
    const fields = { decision: 'connect', subject: '' }
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      const answer = await person.form(path, fields, headers)
      expect([headers, answer.status, backTo(answer)]).toEqual([headers, 403, null])
    }
    const opened = await person.fetch(`${path}&decision=connect&subject=`)
    expect([opened.status, backTo(opened)]).toEqual([200, null])
    // An app's token is no person.
    const { accessToken } = await signInApp(at(), await newPerson(at()), {
      ask: { scope: 'keys:admin', resource: `${at().origin}/api` },
    })
    const machine = new Visitor(at(), { authorization: `Bearer ${accessToken}` })
    expect(backTo(await machine.form(path, fields))).toBeNull()
    expect(await keysOf(person)).toEqual([])
  })

  test('a sign-in of long ago does not connect an app', async () => {
    const person = await newPerson(at())
    await at().sql('UPDATE session SET created_at = created_at - 90000000 WHERE user_id = ?', [person.userId])
    const path = askPath(await newApp(at()), newProof().challenge)
    for (const answer of [await person.fetch(path), await person.form(path, { decision: 'connect', subject: '' })]) {
      expect([answer.status, backTo(answer)]).toEqual([303, null])
      expect(answer.headers.get('location')).toStartWith('/sign-in?as=again')
    }
  })

  test('an expired token is refused, and renewing gives another', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person)
    await at().sql('UPDATE app_grants SET expires_at = 1')
    expect(await reach(at(), app.accessToken)).toMatchObject({ mcp: 401 })
    const { body } = await refresh(at(), app)
    expect(await reach(at(), body.access_token)).toMatchObject({ mcp: 200 })
    await at().sql('UPDATE app_grants SET ends_at = 1')
    expect((await refresh(at(), { ...app, refreshToken: body.refresh_token })).body.error).toBe('invalid_grant')
  })
})

onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '3' }, (at) => {
  test('a flood of registrations is refused, and has stored nothing', async () => {
    const answers = []
    for (let n = 0; n < 5; n += 1) answers.push(await register(at()))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429])
    const { headers, body } = answers[4]!
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect([body.error, body.code]).toEqual(['slow_down', 'RATE_LIMITED'])
    expect(await at().sql('SELECT count(*) AS n FROM api_keys')).toEqual([{ n: 0 }])
  })
})
