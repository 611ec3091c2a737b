import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { START_MS } from '../contract/support.ts'
import { becomes } from '../eventually.ts'
import {
  actFor,
  addMember,
  type BundleBody,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  press,
  URL_A,
  Visitor,
} from '../people.ts'
import { BOTH_RUNTIMES, type Server, startServer, TEST_ENV } from '../server.ts'
import { type Sqld, startSqld } from '../sqld.ts'

const TIMES = 20

/** Two processes, each with its own replica: writes to the first are read from the second at once. */
for (const [here, there] of [BOTH_RUNTIMES, [...BOTH_RUNTIMES].reverse()]) {
  describe(`writes on ${here}, reads on ${there}, each with a replica`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'openall-replicas-'))
    let sqld: Sqld
    let first: Server
    let second: Server
    beforeAll(async () => {
      sqld = await startSqld()
      const common = {
        ...TEST_ENV,
        DATABASE_URL: sqld.url,
        DATABASE_AUTH_TOKEN: sqld.token,
        SERVICE_SECRET: 'the same secret in both processes',
      }
      const start = (runtime: (typeof BOTH_RUNTIMES)[number], name: string) =>
        startServer({
          runtime,
          env: { ...common, DATABASE_REPLICA_PATH: join(folder, name) },
          database: sqld.url,
          token: sqld.token,
        })
      ;[first, second] = await Promise.all([start(here!, 'first.db'), start(there!, 'second.db')])
    }, START_MS)
    afterAll(async () => {
      await Promise.all([first?.stop(), second?.stop()])
      await sqld?.stop()
      rmSync(folder, { recursive: true, force: true })
    }, START_MS)

    /** The same browser at the second process. */
    const elsewhere = (visitor: Visitor): Visitor => {
      const other = new Visitor(second)
      for (const [name, value] of visitor.cookies) other.cookies.set(name, value)
      return other
    }

    const twenty = async (once: () => Promise<number>) => {
      const statuses: number[] = []
      for (let time = 0; time < TIMES; time += 1) statuses.push(await once())
      return [...new Set(statuses)]
    }

    test('a sign-in, a launcher, a bundle and a key are there', async () => {
      expect(await twenty(async () => (await elsewhere(await newPerson(first)).api('GET', '/api/me')).status)).toEqual([
        200,
      ])
      const person = await newPerson(first)
      const made = async () => (await person.makeBundle()).slug
      expect(await twenty(async () => (await fetch(`${second.origin}/l/${await made()}`)).status)).toEqual([200])
      expect(
        await twenty(async () => (await elsewhere(person).api('GET', `/api/links/${await made()}`)).status),
      ).toEqual([200])
      const withNewKey = async () => {
        const body = { name: 'new', scopes: ['links:read'] }
        const { rawKey } = (await person.api<{ rawKey: string }>('POST', '/api/me/keys', body)).body
        return (await new Visitor(second).api('GET', '/api/me', undefined, { authorization: `Bearer ${rawKey}` }))
          .status
      }
      expect(await twenty(withNewKey)).toEqual([200])
    }, 120_000)

    test('so are a mailed link and a claim', async () => {
      const email = newEmail()
      await new Visitor(first).api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
      const browser = new Visitor(second)
      const link = linkIn(await mailTo(first, email, 'Your sign-in link'))
      expect((await press(browser, link)).status).toBe(303)
      expect((await browser.api('GET', '/api/me')).status).toBe(200)
      const { claimToken } = await new Visitor(first).makeBundle()
      expect((await browser.api('POST', '/api/claims', { token: claimToken })).status).toBe(200)
    }, 180_000)

    test('a sign-out, a switch of organisation and a removal take effect', async () => {
      const [admin, member] = [await newPerson(first), await newPerson(first)]
      const { id } = await newOrganization(admin)
      const memberIdOrEmail = await addMember(admin, id, member, 'editor')
      for (let time = 0; time < TIMES; time += 1) {
        const organizationId = time % 2 === 0 ? id : null
        await actFor(member, organizationId)
        const { slug } = await elsewhere(member).makeBundle()
        const made = await elsewhere(member).api<BundleBody>('GET', `/api/links/${slug}`)
        expect(made.body.owner.type).toBe(organizationId === null ? 'user' : 'organization')
      }
      await actFor(member, id)
      await admin.api('POST', '/api/auth/organization/remove-member', { memberIdOrEmail, organizationId: id })
      const me = await elsewhere(member).api<{ subject: object }>('GET', '/api/me')
      expect(me.body.subject).toMatchObject({ type: 'user' })
      const other = elsewhere(member)
      expect((await member.api('POST', '/api/auth/sign-out', {})).status).toBe(200)
      expect((await other.api('GET', '/api/me')).status).toBe(401)
    }, 180_000)

    test('made-up slugs, tokens and keys are answered, and so are real ones alongside', async () => {
      const person = await newPerson(first)
      const madeUp = Array.from({ length: 300 }, (_, number) => `no-such-${number}`)
      const asked = Promise.all(madeUp.map(async (slug) => (await fetch(`${second.origin}/l/${slug}`)).status))
      const { slug } = await person.makeBundle()
      expect((await fetch(`${second.origin}/l/${slug}`)).status).toBe(200)
      expect([...new Set(await asked)]).toEqual([404])
    }, 180_000)

    test('while the server is down sessions stay valid, and unknown data is not waited for', async () => {
      const person = await newPerson(second)
      const { slug } = await person.makeBundle()
      await sqld.freeze()
      try {
        // Until the silence is noticed, each answer may wait for the timeout once.
        await becomes(async () => (await fetch(`${second.origin}/l/nobody-has-this`)).status, 404)
        expect((await person.api('GET', '/api/me')).status).toBe(200)
        expect((await person.api('GET', `/api/links/${slug}`)).status).toBe(200)
        expect((await fetch(`${second.origin}/l/${slug}`)).status).toBe(200)
      } finally {
        sqld.thaw()
      }
      await becomes(async () => (await person.api('POST', '/api/links', { urls: [URL_A] })).status, 201)
    }, 180_000)
  })
}
