import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { runOperator } from '../operator.ts'
import {
  arriveByMail,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signIn,
  signUp,
  Visitor,
} from '../people.ts'
import type { Server } from '../server.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

setDefaultTimeout(120_000)

const DISABLED = 'This account is disabled. Ask the administrator of this service to enable it again.'

/** The status of an answer to a key. */
async function askWith(server: Server, rawKey: string): Promise<number> {
  return (await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${rawKey}` } })).status
}

const mine = async (person: Visitor) => (await person.api('GET', '/api/me')).status

/** Opens a new sign-in link of an address and presses its button. */
async function followLink(server: Server, email: string): Promise<Response> {
  const visitor = new Visitor(server)
  const subject = 'Your sign-in link'
  const sent = () => server.output().split(`"to":"${email}","subject":"${subject}`).length
  const before = sent()
  await visitor.api('POST', '/api/auth/sign-in/magic-link', { email, callbackURL: '/' })
  await becomes(async () => sent() > before, true)
  return press(visitor, linkIn(await mailTo(server, email, subject)))
}

describe('an operator’s commands on people', () => {
  onEveryTarget({}, (at) => {
    const run = <T = Record<string, unknown>>(...words: string[]) => runOperator<T>(at(), words)
    const keyOf = async (person: Person) => (await person.mint({ scopes: ['links:read'] })).rawKey

    test('users disable ends sessions and keys and refuses every way in with a sentence; enable undoes it', async () => {
      const person = await signUp(at())
      await press(person, linkIn(await mailTo(at(), person.email, 'Confirm your address')))
      const [rawKey, { slug }] = [await keyOf(person), await person.makeBundle()]
      expect([await mine(person), await askWith(at(), rawKey)]).toEqual([200, 200])
      expect(await run('users', 'disable', person.email)).toEqual({ disabled: person.email })
      await becomes(() => askWith(at(), rawKey), 401)
      expect(await mine(person)).toBe(401)

      const asked = { email: person.email, password: PASSWORD }
      const refused = await new Visitor(at()).api('POST', '/api/auth/sign-in/email', asked)
      expect([refused.status, refused.body]).toEqual([403, { error: DISABLED, code: 'ACCOUNT_DISABLED', ...told }])
      const wrong = await new Visitor(at()).api('POST', '/api/auth/sign-in/email', {
        ...asked,
        password: 'no such one',
      })
      expect(wrong.body).toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
      const form = await new Visitor(at()).form('/sign-in', { ...asked, next: '/' })
      expect(await form.text()).toContain(DISABLED)
      const followed = await followLink(at(), person.email)
      expect([followed.status, await followed.text()]).toEqual([403, expect.stringContaining(DISABLED)])
      expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(200)

      expect(await run('users', 'enable', person.email)).toEqual({ enabled: person.email })
      await becomes(() => askWith(at(), rawKey), 200)
      expect(await mine(await signIn(at(), person.email))).toBe(200)
    })

    test('a session that was being made while its account was disabled is not accepted', async () => {
      const person = await newPerson(at())
      await at().sql('UPDATE user SET disabled_at = 1 WHERE id = ?', [person.userId])
      await becomes(() => mine(person), 401)
    })

    test('organizations create makes one with its first admin, which counts towards nobody’s plan', async () => {
      const person = await newPerson(at())
      const made = await run<{ organizationId: string }>('organizations', 'create', ' Ops team ', person.email)
      expect(made).toEqual({ organizationId: expect.any(String), name: 'Ops team', admin: person.userId } as never)
      const { organizationId } = made
      await person.api('POST', '/api/auth/organization/set-active', { organizationId })
      const { body } = await person.api('GET', '/api/me')
      expect(body).toMatchObject({ role: 'admin', subject: { type: 'organization', organizationId } })
      expect(await at().sql('SELECT created_by FROM organization WHERE id = ?', [organizationId])).toEqual([
        { created_by: null },
      ])
      const refused = async (...words: string[]) => (await run<{ error: string }>('organizations', ...words)).error
      expect(await refused('create', 'Ops', newEmail())).toContain('add-account makes one')
      expect(await refused('create', 'Ops', `organization:${organizationId}`)).toContain('there is no account')
      expect(await refused('create', 'see https://evil.example', person.email)).toContain('name')
      expect(await refused('create', 'x'.repeat(101), person.email)).toContain('100')
    })

    test('log tells what was done, by whom and to whom, without anybody’s address', async () => {
      const email = newEmail()
      const env = { OPENALL_OPERATOR: 'ada' }
      const operate = (...words: string[]) => runOperator<Record<string, string>>(at(), words, { env })
      const { userId } = await operate('add-account', email)
      await operate('plan', email, 'pro')
      await operate('create-key', '--email', email)
      // What is refused is not done.
      await operate('plan', newEmail(), 'pro')
      await operate('users', 'delete', email)
      const log = await run<{ at: string; operator: string; command: string; target: string }[]>('log')
      const commands = ['users delete', 'create-key', 'plan', 'add-account']
      expect(log.slice(0, 4)).toEqual(
        commands.map((command) => ({ at: expect.any(String), operator: 'ada', command, target: `user:${userId}` })),
      )
      expect(JSON.stringify(await at().sql('SELECT * FROM operator_log'))).not.toContain('@')
      // The newest thousand are kept.
      const insert = 'INSERT INTO operator_log (id, at, command) VALUES (?, 0, ?) RETURNING id'
      const [{ id }] = (await at().sql('SELECT max(id) AS id FROM operator_log')) as [{ id: number }]
      await at().sql(insert, [id + 999, 'one'])
      await at().sql(insert, [id + 1000, 'another'])
      expect(await at().sql('SELECT command FROM operator_log')).toEqual([{ command: 'one' }, { command: 'another' }])
    })

    test('users delete takes what is theirs, and keeps an organisation from losing its last admin', async () => {
      const [owner, member] = [await newPerson(at()), await newPerson(at())]
      const { slug } = await owner.makeBundle()
      await newOrganization(owner, [[member, 'viewer']])
      expect(await run('users', 'delete', owner.email)).toEqual({
        error: expect.stringContaining('has other members and no other admin'),
      })
      expect(await mine(owner)).toBe(200)
      expect(await run('users', 'delete', `user:${member.userId}`)).toEqual({ deleted: `user:${member.userId}` })
      expect(await run('users', 'delete', owner.email)).toEqual({ deleted: owner.email })
      expect([await mine(owner), await mine(member)]).toEqual([401, 401])
      await becomes(async () => (await fetch(`${at().origin}/l/${slug}`)).status, 404)
      expect(await at().sql('SELECT id FROM organization WHERE created_by = ?', [owner.userId])).toEqual([])
    })

    test('users reset-password prints a link that sets a password once', async () => {
      const person = await newPerson(at())
      const env = { SERVICE_BASE_URL: at().origin }
      const { link } = await runOperator<{ link: string }>(at(), ['users', 'reset-password', person.email], {
        env: { ...env, SERVICE_SECRET: 'a secret of the tests, forty characters long' },
      })
      expect(link).toStartWith(`${at().origin}/password/`)
      const password = 'another horse and battery'
      expect((await press(new Visitor(at()), link, { password })).status).toBe(200)
      expect(await mine(await signIn(at(), person.email, password))).toBe(200)
      expect((await press(new Visitor(at()), link, { password })).status).not.toBe(200)
      const off = {
        ...env,
        SERVICE_PASSWORD_SIGN_IN: 'off',
        SERVICE_SECRET: 'a secret of the tests, forty characters long',
      }
      const refused = await runOperator(at(), ['users', 'reset-password', person.email], { env: off })
      expect(refused).toEqual({ error: expect.stringContaining('they sign in with an emailed link') })
    })

    test('add-account and create-key give a first key without a browser, which stays when its owner signs in', async () => {
      const email = newEmail()
      expect(await run('create-key', '--email', email)).toEqual({
        error: expect.stringContaining('there is no account'),
      })
      await run('add-account', email)
      const { rawKey } = await run<{ rawKey: string }>(
        ...['create-key', '--email', email, '--scopes', 'links:read,links:write', '--name', 'first'],
      )
      expect(await askWith(at(), rawKey)).toBe(200)
      await arriveByMail(at(), email)
      expect(await askWith(at(), rawKey)).toBe(200)
      expect(await run('create-key', '--email', email, '--scopes', 'everything')).toEqual({
        error: expect.stringContaining('scopes[0] must be'),
      })
      expect(await run('create-key')).toEqual({ error: expect.stringContaining('--email <address>') })
    })

    test('create-key takes an unconfirmed account from whoever signed up with the address', async () => {
      const stranger = await signUp(at())
      const { rawKey } = await run<{ rawKey: string }>('create-key', '--email', stranger.email)
      expect([await mine(stranger), await askWith(at(), rawKey)]).toEqual([401, 200])
    })
  })
})
