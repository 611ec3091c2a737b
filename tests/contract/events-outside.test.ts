import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { OAuth2Server } from 'oauth2-mock-server'
import { beginDevice, decideDevice, pollPatiently, post, signInApp } from '../oauth.ts'
import { actFor, arriveByMail, newEmail, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newEventId, newSecret, sendIdentityEvent, sendPaymentEvent } from '../webhooks.ts'

// What others cause is logged too: providers of identity and payment, apps, and whoever signs in elsewhere.

setDefaultTimeout(180_000)

interface Logged {
  type: string
  actor: { type: string; userId?: string; keyId?: number; name?: string }
  target: { type: string; id: string | null; name?: string }
  changes?: object[]
}

const SECRET = newSecret()
const provider = new OAuth2Server()
const claims = { sub: crypto.randomUUID(), email: newEmail('oidc'), email_verified: true, name: 'Olga' }
const env: Record<string, string> = {
  SERVICE_IDENTITY_WEBHOOK_SECRET: SECRET,
  SERVICE_PAYMENT_WEBHOOK_SECRET: SECRET,
  OIDC_CLIENT_ID: 'openall',
  OIDC_CLIENT_SECRET: 'secret',
}
await provider.issuer.keys.generate('RS256')
await provider.start(0, '127.0.0.1')
env.OIDC_ISSUER = String(provider.issuer.url)

beforeAll(() => {
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  provider.service.on('beforeUserinfo', (response) => Object.assign(response, { body: claims }))
})
afterAll(() => provider.stop())

onEveryTarget(env, (at) => {
  const read = async (by: Visitor, query: Record<string, string> = {}) =>
    (await by.api<{ events: Logged[] }>('GET', `/api/me/events?${new URLSearchParams(query)}`)).body.events
  const briefly = ({ type, actor, target, changes }: Logged) => [type, actor, target.id, changes]

  describe('a provider', () => {
    const tell = async (type: string, data: Record<string, unknown>) =>
      expect([type, (await sendIdentityEvent(at(), SECRET, type, data)).outcome]).toEqual([type, 'applied'])
    const theProvider = { type: 'provider' }
    const known = async () => {
      const [person, id] = [await newPerson(at()), newEventId()]
      await tell('user.created', { id, email: person.email, email_verified: true, name: 'Ada' })
      return { person, id }
    }

    test('makes an organisation and its members, and is who did it', async () => {
      const { person, id: userId } = await known()
      const organization = { id: newEventId(), name: 'Acme', slug: newEventId() }
      await tell('organization.created', organization)
      await tell('organization.updated', { ...organization, name: 'Acme 2' })
      const membership = (role: string) => ({ organization, public_user_data: { user_id: userId }, role })
      await tell('organizationMembership.created', membership('org:editor'))
      await tell('organizationMembership.updated', membership('org:admin'))
      await actFor(person, organization.id)
      expect((await read(person)).map(briefly)).toEqual([
        ['member.role_changed', theProvider, person.userId, [{ field: 'role', from: 'editor', to: 'admin' }]],
        ['member.joined', theProvider, person.userId, [{ field: 'role', to: 'editor' }]],
        ['organization.updated', theProvider, organization.id, [{ field: 'name', from: 'Acme', to: 'Acme 2' }]],
        ['organization.created', theProvider, organization.id, [{ field: 'name', to: 'Acme' }]],
      ])
      await tell('organization.deleted', { id: organization.id, deleted: true })
      const [deleted] = await read(person, { type: 'organization' })
      expect([deleted?.type, deleted?.actor, deleted?.target.id]).toEqual([
        'organization.deleted',
        theProvider,
        organization.id,
      ])
    })

    test('ends an account: what it had, and its memberships', async () => {
      const { person, id } = await known()
      const admin = await newPerson(at())
      const organization = await newOrganization(admin, [[person, 'editor']])
      await actFor(person, null)
      const { slug } = await person.makeBundle()
      const { apiKey } = await person.mint()
      await tell('user.deleted', { id, deleted: true })
      await actFor(admin, organization.id)
      const [left] = await read(admin)
      expect([left?.type, left?.actor, left?.target.name]).toEqual(['member.removed', theProvider, undefined])
      const again = await arriveByMail(at(), person.email)
      const logged = (await read(again)).filter(({ actor }) => actor.type === 'provider')
      expect(logged.map(({ type, target }) => [type, target.id]).sort()).toEqual([
        ['bundle.deleted', slug],
        ['key.revoked', String(apiKey.id)],
      ])
    })

    test('of payments has no events: a plan is nothing that anybody changed here', async () => {
      const person = await newPerson(at())
      const before = await read(person)
      const data = { id: newEventId(), metadata: { subject: `user:${person.userId}` } }
      expect((await sendPaymentEvent(at(), SECRET, 'subscription.active', data)).outcome).toBe('applied')
      expect(await read(person)).toEqual(before)
    })
  })

  describe('an app', () => {
    const ofApps = (person: Person) => read(person, { type: 'app' })

    test('is connected by who consented, once it has its token, and disconnected by itself or by them', async () => {
      const person = await newPerson(at())
      const app = await signInApp(at(), person, { app: { client_name: 'Agent' }, ask: { scope: 'links:read' } })
      const [connected, ...others] = await ofApps(person)
      expect(others).toEqual([])
      expect(connected).toMatchObject({
        type: 'app.connected',
        actor: { type: 'user', userId: person.userId },
        target: { type: 'app', name: 'Agent' },
        changes: [
          { field: 'name', to: 'Agent' },
          { field: 'scopes', to: ['links:read'] },
        ],
      })
      await post(at(), 'revoke', { token: app.refreshToken, client_id: app.clientId })
      const [byItself] = await ofApps(person)
      expect([byItself?.type, byItself?.actor.type, byItself?.target]).toEqual([
        'app.disconnected',
        'app',
        connected!.target,
      ])
      await signInApp(at(), person, { app: { client_name: 'Second' } })
      const [{ target }] = (await ofApps(person)) as [Logged]
      await person.api('DELETE', `/api/me/keys?id=${target.id}`)
      const [byPerson] = await ofApps(person)
      expect([byPerson?.type, byPerson?.actor, byPerson?.target.id]).toEqual([
        'app.disconnected',
        { type: 'user', userId: person.userId, name: person.email },
        target.id,
      ])
      // Keys are what people make.
      expect(await read(person, { type: 'key' })).toEqual([])
    })

    test('acts as itself, for who connected it', async () => {
      const person = await newPerson(at())
      const app = await signInApp(at(), person, { ask: { scope: 'links:write', resource: `${at().origin}/api` } })
      await new Visitor(at(), { authorization: `Bearer ${app.accessToken}` }).makeBundle()
      const [made] = await read(person)
      const [connected] = await ofApps(person)
      expect([made?.type, made?.actor.type, made?.actor.userId, String(made?.actor.keyId)]).toEqual([
        'bundle.created',
        'app',
        person.userId,
        connected?.target.id as never,
      ])
    })

    test('on a device is connected once it has collected its token; one that is refused, never', async () => {
      const person = await newPerson(at())
      const [first, second] = [(await beginDevice(at())).body, (await beginDevice(at())).body]
      await decideDevice(person, second.user_code, 'refuse')
      await decideDevice(person, first.user_code)
      expect(await ofApps(person)).toEqual([])
      expect((await pollPatiently(at(), first.device_code)).status).toBe(200)
      expect((await ofApps(person)).map(({ type, actor }) => [type, actor.type, actor.userId])).toEqual([
        ['app.connected', 'user', person.userId],
      ])
    })

    test('whose code somebody else has too is ended by the service', async () => {
      const person = await newPerson(at())
      const { device_code: deviceCode, user_code: userCode } = (await beginDevice(at())).body
      await decideDevice(person, userCode)
      expect((await pollPatiently(at(), deviceCode)).status).toBe(200)
      expect((await pollPatiently(at(), deviceCode)).body.error).toBe('invalid_grant')
      expect((await ofApps(person)).map(({ type, actor }) => [type, actor.type])).toEqual([
        ['app.disconnected', 'service'],
        ['app.connected', 'user'],
      ])
    })
  })

  test('signing in with a provider of identities is in one’s own log, each time', async () => {
    const browser = new Visitor(at())
    const signOn = async () => {
      const onward = await browser.form('/sign-in/oidc', { next: '/' })
      const toProvider = (onward.headers.get('refresh') ?? '').replace('0;url=', '')
      const back = (await fetch(toProvider, { redirect: 'manual' })).headers.get('location') ?? ''
      await (await browser.fetch(back)).text()
      const me = await browser.api<{ subject: { userId: string } }>('GET', '/api/me')
      expect(me.status).toBe(200)
      return me.body.subject.userId
    }
    const userId = await signOn()
    await signOn()
    expect((await read(browser)).map(({ type, actor, target }) => [type, actor.type, actor.userId, target.id])).toEqual(
      Array(2).fill(['account.signed_in', 'user', userId, userId]),
    )
  })

  test('who has left an organisation is shown by nothing, also where they were invited', async () => {
    const [admin, left, gone] = [await newPerson(at()), await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin, [
      [left, 'editor'],
      [gone, 'viewer'],
    ])
    await actFor(admin, id)
    const waiting = newEmail('waiting')
    await admin.api('POST', '/api/auth/organization/invite-member', {
      organizationId: id,
      email: waiting,
      role: 'viewer',
    })
    const said = async () => JSON.stringify(await read(admin))
    for (const email of [left.email, gone.email, waiting]) expect(await said()).toContain(email)
    await left.api('POST', '/api/auth/organization/leave', { organizationId: id })
    await gone.api('POST', '/api/auth/delete-user', {})
    for (const email of [left.email, gone.email]) expect(await said()).not.toContain(email)
    expect(await said()).toContain(waiting)
    const csv = await (await admin.fetch('/api/me/events.csv')).text()
    expect([csv.includes(left.email), csv.includes(waiting)]).toEqual([false, true])
  })
})
