import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { linkIn, mailTo, newEmail, newPerson, PASSWORD, signIn, signUp, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

const SETTINGS = '/dashboard/settings'

describe('passwords', () => {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess({ SERVICE_NAME: 'Acme Links' })
  })
  afterAll(async () => {
    await server?.stop()
  })

  interface Refusal {
    code: string
    error: string
  }
  const tryToSignUp = (email: string, password: string) =>
    new Visitor(server).api<Refusal>('POST', '/api/auth/sign-up/email', { email, password, name: '' })
  const resetToken = async (email: string) => {
    await new Visitor(server).api('POST', '/api/auth/request-password-reset', { email })
    return (
      linkIn(await mailTo(server, email, 'Set a password'))
        .split('/')
        .at(-1) ?? ''
    )
  }

  /** Passwords that are guessed first, and the reason for refusing each. */
  const easy = (email: string): [string, string][] => [
    ['password', 'PASSWORD_TOO_COMMON'],
    ['PassWord', 'PASSWORD_TOO_COMMON'],
    ['12345678', 'PASSWORD_TOO_COMMON'],
    ['ｐａｓｓｗｏｒｄ', 'PASSWORD_TOO_COMMON'],
    [' iloveyou ', 'PASSWORD_TOO_COMMON'],
    [email, 'PASSWORD_IS_PERSONAL'],
    [email.toUpperCase(), 'PASSWORD_IS_PERSONAL'],
    [email.split('@')[0] ?? '', 'PASSWORD_IS_PERSONAL'],
    ['Acme Links', 'PASSWORD_IS_PERSONAL'],
    ['acmelinks', 'PASSWORD_IS_PERSONAL'],
    ['        ', 'PASSWORD_TOO_SHORT'],
    ['\u3000'.repeat(9), 'PASSWORD_TOO_SHORT'],
    ['short 7', 'PASSWORD_TOO_SHORT'],
    ['😀😀😀😀', 'PASSWORD_TOO_SHORT'],
    ['x'.repeat(129), 'PASSWORD_TOO_LONG'],
    ['x'.repeat(2000), 'PASSWORD_TOO_LONG'],
  ]

  test('nobody signs up with a password that is guessed first, and no mail is sent about it', async () => {
    const email = newEmail('somebody')
    for (const [password, code] of easy(email)) {
      const { status, body } = await tryToSignUp(email, password)
      expect([password, status, body.code]).toEqual([password, 400, code])
      expect(body.error).toMatch(/^\S.*\.$/)
    }
    expect(server.output()).not.toContain(email)
    expect(await server.sql('SELECT 1 FROM user WHERE email = ?', [email])).toEqual([])
  })

  test('lengths are counted in characters', async () => {
    for (const password of ['xkq 77 b', 'ü'.repeat(128), '😀'.repeat(128)]) {
      const email = newEmail()
      expect((await tryToSignUp(email, password)).status).toBe(200)
      await signIn(server, email, password)
    }
  })

  test('nobody sets such a password by a mailed link, which can be used again after the attempt', async () => {
    const ann = await newPerson(server)
    const token = await resetToken(ann.email)
    const set = (newPassword: string) =>
      new Visitor(server).api<Refusal>('POST', '/api/auth/reset-password', { newPassword, token })
    for (const [password, code] of easy(ann.email)) {
      const { status, body } = await set(password)
      expect([password, status, body.code]).toEqual([password, 400, code])
    }
    const page = await new Visitor(server).form(`/password/${token}`, { password: 'password' })
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('too common')])
    expect((await set(PASSWORD)).status).toBe(200)
    await signIn(server, ann.email)
  })

  test('a new password by a mailed link ends a session that the old one opens at the last moment', async () => {
    const ann = await newPerson(server)
    const token = await resetToken(ann.email)
    const set = (newPassword: string, token: string) =>
      new Visitor(server).api('POST', '/api/auth/reset-password', { newPassword, token })
    expect((await set(PASSWORD, token)).status).toBe(200)
    const again = await resetToken(ann.email)
    // A sign-in that compared the old password just before it was replaced, and ended after other sessions were.
    const late = [crypto.randomUUID(), crypto.randomUUID(), Date.now() + 86_400_000, Date.now()]
    const columns = 'id, token, user_id, expires_at, created_at, updated_at'
    const [id, session, expires, now] = late.map((value) => (typeof value === 'string' ? `'${value}'` : value))
    const values = `${id}, ${session}, new.user_id, ${expires}, ${now}, ${now}`
    await server.sql(`CREATE TRIGGER late BEFORE UPDATE OF password ON account
      BEGIN INSERT INTO session (${columns}) VALUES (${values}); END`)
    expect((await set('another horse battery', again)).status).toBe(200)
    await server.sql('DROP TRIGGER late')
    expect(await server.sql('SELECT token FROM session WHERE user_id = ?', [ann.userId])).toEqual([])
  })

  test('nobody changes their password to such a one', async () => {
    const ann = await signUp(server)
    for (const [newPassword, code] of easy(ann.email)) {
      const words = { currentPassword: PASSWORD, newPassword }
      const { status, body } = await ann.api<Refusal>('POST', '/api/auth/change-password', words)
      expect([newPassword, status, body.code]).toEqual([newPassword, 400, code])
    }
    await signIn(server, ann.email)
  })

  test('pages say so next to the field, and never show the password again', async () => {
    const email = newEmail()
    const refused = await new Visitor(server).form('/sign-up', { email, password: '12345678', name: 'Ann' })
    const html = await refused.text()
    expect(refused.status).toBe(400)
    expect(html).toMatch(/id="password-error">The password is too common/)
    expect(html).toContain(`value="${email}"`)
    expect(html).not.toContain('12345678')
    const ann = await signUp(server)
    const words = { change: 'password', currentPassword: PASSWORD, newPassword: ann.email }
    expect(await (await ann.form(SETTINGS, words)).text()).toMatch(
      /id="newPassword-error">The password is too easy to guess/,
    )
  })

  test('a changed password ends every other session, with or without asking, and keeps this one', async () => {
    const ann = await signUp(server)
    const other = await signIn(server, ann.email)
    const words = { currentPassword: PASSWORD, newPassword: 'another horse' }
    expect((await ann.api('POST', '/api/auth/change-password', words)).status).toBe(200)
    expect((await other.api('GET', '/api/me')).status).toBe(401)
    expect((await ann.api('GET', '/api/me')).status).toBe(200)
    const third = await signIn(server, ann.email, 'another horse')
    const back = { currentPassword: 'another horse', newPassword: PASSWORD, revokeOtherSessions: true }
    expect((await ann.api('POST', '/api/auth/change-password', back)).status).toBe(200)
    expect((await third.api('GET', '/api/me')).status).toBe(401)
    expect((await ann.api('GET', '/api/me')).status).toBe(200)
  })

  describe('an account with a password', () => {
    test.each([
      ['no password', {}],
      ['an empty one', { password: '' }],
      ['none but a way back', { callbackURL: '/' }],
      ['a made-up token', { token: 'x' }],
    ])('is not deleted with %s, however fresh the session', async (_, body) => {
      const ann = await signUp(server)
      const answer = await ann.api<Refusal>('POST', '/api/auth/delete-user', body)
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PASSWORD'])
      expect((await ann.api('GET', '/api/me')).status).toBe(200)
    })

    test('needs it to be deleted, and its browser is forgotten', async () => {
      const ann = await signUp(server)
      expect((await ann.api('POST', '/api/auth/delete-user', { password: 'another horse' })).status).toBe(400)
      expect((await ann.api('POST', '/api/auth/delete-user', { password: PASSWORD })).status).toBe(200)
      expect([...ann.cookies.keys()]).toEqual([])
      expect(await server.sql('SELECT 1 FROM user WHERE id = ?', [ann.userId])).toEqual([])
    })
  })

  test('an account without one needs a sign-in within the last day to be deleted', async () => {
    const ann = await newPerson(server)
    await server.sql('UPDATE session SET created_at = created_at - 90000000 WHERE user_id = ? RETURNING 1', [
      ann.userId,
    ])
    expect((await ann.api('POST', '/api/auth/delete-user', {})).status).toBe(403)
    await server.sql('UPDATE session SET created_at = created_at + 90000000 WHERE user_id = ? RETURNING 1', [
      ann.userId,
    ])
    expect((await ann.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
  })
})
