import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { OAuth2Server } from 'oauth2-mock-server'
import { linkIn, mailTo, newEmail, PASSWORD, press, signUp, Visitor } from '../people.ts'
import { freePort } from '../ports.ts'
import { RUNTIMES, type Server, startServer } from '../server.ts'

/** A real OIDC provider on the loopback address that returns `claims` for everybody. */
let provider: OAuth2Server
let claims: { sub: string; email: string; email_verified: boolean | string; name: string }

beforeAll(async () => {
  provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  provider.service.on('beforeTokenSigning', (token) => Object.assign(token.payload, claims))
  provider.service.on('beforeUserinfo', (response) => Object.assign(response, { body: claims }))
})
afterAll(async () => {
  await provider?.stop()
})

for (const runtime of RUNTIMES) {
  for (const verified of ['false', 'true']) {
    describe(`on ${runtime}, SERVICE_REQUIRE_VERIFIED_EMAIL=${verified}`, () => {
      let server: Server
      beforeAll(async () => {
        const issuer = String(provider.issuer.url)
        const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'openall', OIDC_CLIENT_SECRET: 'secret' }
        server = await startServer({ runtime, env: { ...env, SERVICE_REQUIRE_VERIFIED_EMAIL: verified } })
      }, 180_000)
      afterAll(async () => {
        await server?.stop()
      })
      beforeEach(() => {
        claims = { sub: crypto.randomUUID(), email: newEmail('Oidc'), email_verified: true, name: 'Olga' }
      })

      /** Presses the sign-in button, goes through the provider and back. Resolves to the final URL. */
      async function signOn(browser: Visitor, next = '/claims'): Promise<string> {
        const onward = await browser.form('/sign-in/oidc', { next })
        expect(onward.status).toBe(200)
        const [, toProvider = ''] = (onward.headers.get('refresh') ?? '').split('0;url=')
        expect(toProvider).toStartWith(String(provider.issuer.url))
        // Which callback, which client, and proof that the answer is for this browser.
        const asked = new URL(toProvider).searchParams
        expect(asked.get('redirect_uri')).toBe(`${server.origin}/api/auth/callback/oidc`)
        expect(asked.get('code_challenge_method')).toBe('S256')
        const back = (await fetch(toProvider, { redirect: 'manual' })).headers.get('location') ?? ''
        expect(back).toStartWith(server.origin)
        const location = (await browser.fetch(back)).headers.get('location') ?? ''
        return location.replace(server.origin, '')
      }

      test('the button signs in with the address that the provider has verified, and comes back', async () => {
        const browser = new Visitor(server)
        expect(await (await browser.fetch('/sign-in')).text()).toContain('/sign-in/oidc')
        expect(await signOn(browser)).toBe('/claims')
        const me = await browser.api<{ subject: { userId: string } }>('GET', '/api/me')
        expect(me.status).toBe(200)
        expect(
          await server.sql('SELECT email, email_verified FROM user WHERE id = ?', [me.body.subject.userId]),
        ).toEqual([{ email: claims.email.toLowerCase(), email_verified: 1 }])
        const again = new Visitor(server)
        await signOn(again)
        expect((await again.api('GET', '/api/me')).body.subject).toEqual(me.body.subject)
      })

      test('an answer meant for another browser signs nobody in', async () => {
        const [browser, other] = [new Visitor(server), new Visitor(server)]
        const onward = await browser.form('/sign-in/oidc', { next: '/' })
        const toProvider = (onward.headers.get('refresh') ?? '').replace('0;url=', '')
        const back = (await fetch(toProvider, { redirect: 'manual' })).headers.get('location') ?? ''
        await other.fetch(back)
        expect((await other.api('GET', '/api/me')).status).toBe(401)
      })

      test('an address that the provider has not verified opens no existing account', async () => {
        const email = claims.email.toLowerCase()
        const owner = new Visitor(server)
        await owner.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
        await press(owner, linkIn(await mailTo(server, email, 'Your sign-in link')))
        for (const claim of [false, 'false', '1', '']) {
          claims.email_verified = claim
          const thief = new Visitor(server)
          const end = await signOn(thief)
          expect(end).toStartWith('/sign-in?next=%2Fclaims&error=')
          expect(await (await thief.fetch(end)).text()).toContain('You already have an account with this address')
          expect([claim, (await thief.api('GET', '/api/me')).status]).toEqual([claim, 401])
        }
        // Some providers send the flag as text.
        claims.email_verified = 'true'
        const again = new Visitor(server)
        await signOn(again)
        expect((await again.api('GET', '/api/me')).body).toEqual((await owner.api('GET', '/api/me')).body)
      })

      test('the provider’s tokens are not stored', async () => {
        await signOn(new Visitor(server))
        const kept = await server.sql(
          'SELECT access_token, refresh_token, id_token FROM account WHERE account_id = ? AND provider_id = ?',
          [claims.sub, 'oidc'],
        )
        expect(kept).toEqual([{ access_token: null, refresh_token: null, id_token: null }])
        await signOn(new Visitor(server))
        const [{ tokens } = {}] = await server.sql(
          'SELECT count(coalesce(access_token, refresh_token, id_token)) AS tokens FROM account',
        )
        expect(tokens).toBe(0)
      })

      if (verified === 'false') {
        test('a new address that the provider has not verified is not confirmed', async () => {
          claims.email_verified = false
          const browser = new Visitor(server)
          await signOn(browser)
          expect((await browser.api('GET', '/api/me')).status).toBe(200)
          expect((await browser.api('GET', '/api/me/claims')).body).toEqual({ bundles: [], hasMore: false })
          const row = await server.sql('SELECT email_verified FROM user WHERE email = ?', [claims.email.toLowerCase()])
          expect(row).toEqual([{ email_verified: 0 }])
        })

        test('a squatter on the address loses everything there when its owner signs on', async () => {
          const email = claims.email.toLowerCase()
          const squatter = await signUp(server, email)
          const owner = new Visitor(server)
          expect(await signOn(owner)).toBe('/claims')
          expect((await owner.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: squatter.userId })
          expect((await squatter.api('GET', '/api/me')).status).toBe(401)
          const back = await squatter.api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })
          expect(back.status).toBe(401)
        })

        test('a squatter’s account is not linked to an identity that only claims the address', async () => {
          const squatter = await signUp(server, claims.email.toLowerCase())
          claims.email_verified = false
          const thief = new Visitor(server)
          expect(await signOn(thief)).toContain('error=account_not_linked')
          expect((await thief.api('GET', '/api/me')).status).toBe(401)
          expect((await squatter.api('GET', '/api/me')).status).toBe(200)
        })

        test('a person who signed on before verification keeps everything once the provider verifies them', async () => {
          claims.email_verified = false
          const browser = new Visitor(server)
          await signOn(browser)
          claims.email_verified = true
          const again = new Visitor(server)
          await signOn(again)
          expect((await browser.api('GET', '/api/me')).body).toEqual((await again.api('GET', '/api/me')).body)
          const row = await server.sql('SELECT email_verified FROM user WHERE email = ?', [claims.email.toLowerCase()])
          expect(row).toEqual([{ email_verified: 1 }])
        })
      } else {
        test('a new address that the provider has not verified may not sign in', async () => {
          claims.email_verified = false
          const browser = new Visitor(server)
          const end = await signOn(browser)
          expect((await browser.api('GET', '/api/me')).status).toBe(401)
          expect(await (await browser.fetch(end)).text()).toContain('Confirm your address first')
          const words = { email: claims.email.toLowerCase(), password: PASSWORD }
          expect((await browser.api('POST', '/api/auth/sign-in/email', words)).status).toBe(401)
        })
      }
    })
  }
}

test('a provider that was down when first needed is found once it is back', async () => {
  const port = freePort()
  const server = await startServer({ env: { OIDC_ISSUER: `http://127.0.0.1:${port}`, OIDC_CLIENT_ID: 'openall' } })
  const press = async () => (await new Visitor(server).form('/sign-in/oidc', { next: '/' })).status
  expect(await press()).toBe(404)
  const late = new OAuth2Server()
  await late.issuer.keys.generate('RS256')
  await late.start(port, '127.0.0.1')
  await press()
  expect(await press()).toBe(200)
  await late.stop()
  await server.stop()
})

test('a provider that accepts connections but never answers does not block other ways to sign in', async () => {
  let calls = 0
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open() {
        calls += 1
      },
      data() {},
    },
  })
  const server = await startServer({
    env: { OIDC_ISSUER: `http://127.0.0.1:${silent.port}`, OIDC_CLIENT_ID: 'openall' },
  })
  await signUp(server)
  // A sign-in waits for the provider once.
  expect(calls).toBe(1)
  silent.stop(true)
  await server.stop()
}, 180_000)
