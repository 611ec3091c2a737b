import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SLOW_PASSWORDS, startInProcess } from '../in-process.ts'
import { linkIn, mailTo, newEmail, newPerson, PASSWORD, type Person, signUp, Visitor } from '../people.ts'
import type { Server } from '../server.ts'

setDefaultTimeout(180_000)

const WRONG = 'not the password'

describe('brute force', () => {
  let server: Server
  beforeAll(async () => {
    server = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-client' })
  })
  afterAll(async () => {
    await server?.stop()
  })

  const from = (address: string) => new Visitor(server, { 'x-client': address })
  const tryIn = (visitor: Visitor, email: string, password = WRONG) =>
    visitor.api<{ code: string; error: string; retryAfterSeconds: number }>('POST', '/api/auth/sign-in/email', {
      email,
      password,
    })
  /** Guesses until the account is temporarily closed to strangers. */
  async function besiege(email: string, network: number): Promise<void> {
    for (let sent = 0; sent < 30; sent += 1) {
      const { status } = await tryIn(from(`198.51.${network}.${sent}`), email)
      if (status === 429) return
    }
    throw new Error('guesses were heard without end')
  }

  test('wrong attempts at one account from one address are slowed down, with a correct Retry-After', async () => {
    const email = newEmail()
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent += 1) statuses.push((await tryIn(from('192.0.2.1'), email)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const { body, headers } = await tryIn(from('192.0.2.1'), email)
    expect(body.code).toBe('RATE_LIMITED')
    expect(headers.get('retry-after')).toBe(String(body.retryAfterSeconds))
    expect(body.retryAfterSeconds).toBeWithin(1, 62)
    // Nobody else is slowed down: neither another account from here, nor this account from elsewhere.
    expect((await tryIn(from('192.0.2.1'), newEmail())).status).toBe(401)
    expect((await tryIn(from('192.0.2.2'), email)).status).toBe(401)
  })

  test('correct attempts are not counted', async () => {
    const ann = await signUp(server)
    const visitor = from('192.0.2.3')
    for (let sent = 0; sent < 8; sent += 1) expect((await tryIn(visitor, ann.email, PASSWORD)).status).toBe(200)
    expect((await tryIn(visitor, ann.email)).status).toBe(401)
  })

  test('an attempt whose password was never compared is not counted', async () => {
    for (let sent = 0; sent < 8; sent += 1) {
      expect((await tryIn(from('192.0.2.4'), 'no address')).status).toBe(400)
    }
  })

  test('one account gets a bounded number of attempts from all addresses, known or not, however spelt', async () => {
    const known = await signUp(server)
    for (const [network, email] of [
      [100, known.email],
      [101, newEmail()],
    ] as const) {
      const spellings = [email, email.toUpperCase()]
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => tryIn(from(`198.51.${network}.${index}`), spellings[index % 2]!)),
      )
      // A sign-up counts as an attempt at its address.
      const heard = email === known.email ? 9 : 10
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(heard)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - heard)
    }
  })

  test('strangers’ attempts lock out neither a browser that has signed in before, nor a mailed link, nor a reset', async () => {
    const owner = await newPerson(server)
    await owner.api('POST', '/api/auth/request-password-reset', { email: owner.email })
    const first = linkIn(await mailTo(server, owner.email, 'Set a password'))
      .split('/')
      .at(-1)
    const set = (token: string | undefined) =>
      new Visitor(server).api('POST', '/api/auth/reset-password', { newPassword: PASSWORD, token })
    expect((await set(first)).status).toBe(200)
    await besiege(owner.email, 102)

    const device = [...owner.cookies].find(([name]) => name === 'device')
    if (device === undefined) throw new Error('no device cookie')
    owner.cookies.clear()
    owner.cookies.set(...device)
    expect((await tryIn(owner, owner.email, PASSWORD)).status).toBe(200)
    expect((await tryIn(from('192.0.2.5'), owner.email, PASSWORD)).status).toBe(429)

    const elsewhere = new Visitor(server)
    expect((await elsewhere.api('POST', '/api/auth/sign-in/magic-link', { email: owner.email })).status).toBe(200)
    const asked = await elsewhere.api('POST', '/api/auth/request-password-reset', { email: owner.email })
    expect(asked.status).toBe(200)
    const second = linkIn(await mailTo(server, owner.email, 'Set a password'))
      .split('/')
      .at(-1)
    expect((await set(second)).status).toBe(200)
  })

  describe('the cookie of a browser that has signed in before', () => {
    let owner: Person
    let text = ''
    beforeAll(async () => {
      owner = await signUp(server)
      text = owner.cookies.get('device') ?? ''
      await besiege(owner.email, 103)
    })
    const withCookie = (value: string) => {
      const visitor = from('192.0.2.6')
      visitor.cookies.set('device', value)
      return visitor
    }

    test('is hidden from scripts, and does not reveal the address', async () => {
      const fresh = await from('192.0.2.7').fetch('/api/auth/sign-up/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: newEmail(), password: PASSWORD, name: '' }),
      })
      const line = fresh.headers.getSetCookie().find((cookie) => cookie.startsWith('device=')) ?? ''
      expect(line).toMatch(/^device=[\w.~-]+; .*HttpOnly/)
      expect(line).toContain('SameSite=Lax')
      expect(text).not.toContain('people')
    })

    test('has attempts of its own, and no more than anybody', async () => {
      const statuses: number[] = []
      for (let sent = 0; sent < 6; sent += 1) statuses.push((await tryIn(withCookie(text), owner.email)).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    })

    test('is worthless if it was made up, changed, or made for another account', async () => {
      const other = (await signUp(server)).cookies.get('device') ?? ''
      const wrong = [`${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`, other, 'x', '', 'x'.repeat(9000)]
      for (const value of wrong) {
        expect([value.slice(0, 20), (await tryIn(withCookie(value), owner.email)).status]).toEqual([
          value.slice(0, 20),
          429,
        ])
      }
    })

    test('from a sign-up for an existing address gives no extra attempts', async () => {
      const thief = from('192.0.2.8')
      const words = { email: owner.email, password: 'another password', name: '' }
      // The attack has closed sign-ups for the address too.
      expect((await thief.api('POST', '/api/auth/sign-up/email', words)).status).toBe(429)
      const quiet = await signUp(server)
      await thief.api('POST', '/api/auth/sign-up/email', { ...words, email: quiet.email })
      expect(thief.cookies.get('device')).toHaveLength(text.length)
      await besiege(quiet.email, 104)
      const statuses: number[] = []
      for (let sent = 0; sent < 6; sent += 1) statuses.push((await tryIn(thief, quiet.email)).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    })
  })

  test('sign-ups cannot be used to guess a password', async () => {
    const owner = await signUp(server)
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent += 1) {
      const words = { email: owner.email, password: `${WRONG} ${sent}`, name: '' }
      statuses.push((await from('192.0.2.9').api('POST', '/api/auth/sign-up/email', words)).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })

  test.each([
    ['change-password', { currentPassword: WRONG, newPassword: 'another horse' }],
    ['verify-password', { password: WRONG }],
    ['delete-user', { password: WRONG }],
  ])('a session cannot be used to guess the password by %s, from any number of addresses', async (path, body) => {
    const owner = await signUp(server)
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent += 1) {
      const answer = await owner.api('POST', `/api/auth/${path}`, body, { 'x-client': `203.0.113.${sent}` })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    // The three share a count; signing in has its own.
    expect((await owner.api('POST', '/api/auth/verify-password', { password: PASSWORD })).status).toBe(429)
    expect((await tryIn(from('192.0.2.10'), owner.email, PASSWORD)).status).toBe(200)
  })

  test('the sign-in page says how long to wait, next to what was typed', async () => {
    const email = newEmail()
    const visitor = from('192.0.2.11')
    for (let sent = 0; sent < 5; sent += 1) await tryIn(visitor, email)
    const answer = await visitor.form('/sign-in', { email, password: WRONG })
    const html = await answer.text()
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(html).toContain(`value="${email}"`)
    expect(html).toContain('Too many wrong passwords')
  })
})

test('ninety sign-ups from one network do not keep others from signing in', async () => {
  const server = await startInProcess({ SERVICE_CLIENT_IP_HEADER: 'x-client' }, SLOW_PASSWORDS)
  const from = (address: string) => new Visitor(server, { 'x-client': address })
  const ann = await signUp(server)
  const flood = Array.from({ length: 90 }, (_, index) =>
    from(`2001:db8:7:${index.toString(16)}::1`).api('POST', '/api/auth/sign-up/email', {
      email: newEmail('flood'),
      password: PASSWORD,
      name: '',
    }),
  )
  // The first of them has signed in, and those behind it wait for their hashes.
  await Bun.sleep(30)
  const { status } = await from('192.0.2.12').api('POST', '/api/auth/sign-in/email', {
    email: ann.email,
    password: PASSWORD,
  })
  const statuses = (await Promise.all(flood)).map((answer) => answer.status)
  expect(status).toBe(200)
  expect(statuses).toContain(429)
  expect(statuses).toContain(200)
  await server.stop()
})
