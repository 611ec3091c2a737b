import { expect, test } from 'bun:test'
import { post, refresh, signInApp } from '../oauth.ts'
import { newOrganization, newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

interface Introspected {
  active?: boolean
  error?: string
  exp?: number
  iat?: number
}

// Apps of all tests share an address.
onEveryTarget({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000' }, (at) => {
  /** What a credential is told about a token. */
  const ask = async (credential: string | null, token: string) => {
    const headers: Record<string, string> = credential === null ? {} : { authorization: `Bearer ${credential}` }
    const answer = await post(at(), 'introspect', token === '' ? {} : { token }, headers)
    return { ...answer, body: answer.body as unknown as Introspected }
  }
  const nowSeconds = () => Date.now() / 1000

  test('a credential learns about itself, and with keys:admin about every token of its subject', async () => {
    const person = await newPerson(at())
    const app = await signInApp(at(), person, { ask: { scope: 'links:read' } })
    const itself = await ask(app.accessToken, app.accessToken)
    expect({ ...itself.body }).toMatchObject({
      active: true,
      scope: 'links:read',
      token_type: 'Bearer',
      sub: person.userId,
      aud: `${at().origin}/api/mcp`,
      iss: at().origin,
    })
    expect(Math.abs((itself.body.exp ?? 0) - nowSeconds() - 3600)).toBeLessThan(120)
    expect(Math.abs((itself.body.iat ?? 0) - nowSeconds())).toBeLessThan(120)
    // What renews it is its own, too.
    const renewing = await ask(app.accessToken, app.refreshToken)
    expect([renewing.body.active, (renewing.body.exp ?? 0) > nowSeconds() + 86_400]).toEqual([true, true])
    const { rawKey: admin } = await person.mint({ scopes: ['keys:admin'] })
    const { rawKey: narrow } = await person.mint({ scopes: ['links:write'] })
    for (const token of [app.accessToken, app.refreshToken, narrow, admin])
      expect((await ask(admin, token)).body.active).toBe(true)
    expect((await ask(admin, narrow)).body).not.toHaveProperty('exp')
    const expiresAt = new Date((Math.floor(nowSeconds()) + 86_400) * 1000).toISOString()
    const { rawKey: ending } = await person.mint({ expiresAt })
    expect((await ask(admin, ending)).body.exp).toBe(Date.parse(expiresAt) / 1000)
    for (const token of [app.accessToken, admin, 'nonsense']) {
      const { status, headers, body } = await ask(narrow, token)
      expect([status, body.error, body.active]).toEqual([403, 'insufficient_scope', undefined])
      expect(headers.get('www-authenticate')).toContain('scope="keys:admin"')
    }
    expect((await ask(narrow, narrow)).body.active).toBe(true)
  })

  test('what is not one’s own, used up, revoked or made up is inactive, and no more is said', async () => {
    const [person, other] = [await newPerson(at()), await newPerson(at())]
    const { rawKey: admin } = await person.mint({ scopes: ['keys:admin'] })
    const theirs = await signInApp(at(), other)
    const { rawKey: theirKey } = await other.mint()
    const app = await signInApp(at(), person)
    await refresh(at(), app)
    const revoked = await person.mint()
    await person.api('DELETE', `/api/me/keys?id=${revoked.apiKey.id}`)
    for (const token of [
      theirs.accessToken,
      theirs.refreshToken,
      theirKey,
      app.accessToken,
      app.refreshToken,
      revoked.rawKey,
      'nonsense',
    ]) {
      const { status, body } = await ask(admin, token)
      expect([status, { ...body }]).toEqual([200, { active: false }])
    }
    // An organisation's keys are its own, not their maker's.
    const { id } = await newOrganization(person)
    await person.api('POST', '/api/auth/organization/set-active', { organizationId: id })
    const { rawKey: ours } = await person.mint({ scopes: ['keys:admin'] })
    expect((await ask(ours, admin)).body).toEqual({ active: false })
    expect((await ask(admin, ours)).body).toEqual({ active: false })
    expect({ ...(await ask(ours, ours)).body }).toMatchObject({ active: true, organization_id: id })
  })

  test('nobody is told without a credential, by a session, by a bad one, or by an MCP token about others', async () => {
    const person = await newPerson(at())
    const { rawKey } = await person.mint()
    for (const credential of [null, 'nonsense', '']) {
      const { status, headers, body } = await ask(credential, rawKey)
      expect([status, body.error]).toEqual([401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toStartWith('Bearer')
    }
    const bySession = await person.form('/oauth/introspect', { token: rawKey })
    expect(bySession.status).toBe(401)
    const agent = await signInApp(at(), person, { ask: { scope: 'keys:admin' } })
    expect((await ask(agent.accessToken, rawKey)).status).toBe(403)
    expect((await ask(rawKey, '')).body.error).toBe('invalid_request')
  })

  test('asking counts for the key that asks', async () => {
    const person = await newPerson(at())
    const { rawKey: admin } = await person.mint({ scopes: ['keys:admin'], rateLimitPerHour: 2 })
    const { rawKey } = await person.mint()
    expect((await ask(admin, rawKey)).headers.get('ratelimit')).toContain('r=1')
    await ask(admin, rawKey)
    expect((await ask(admin, rawKey)).status).toBe(429)
  })
})
