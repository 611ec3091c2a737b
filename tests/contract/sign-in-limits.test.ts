import { expect, test } from 'bun:test'
import { hashPassword, withHashQueue } from '../../src/identity/passwords.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'
import { ask, PASSWORD, signUp } from './people.ts'

const ENV = {
  SERVICE_CLIENT_IP_HEADER: 'x-client',
  SERVICE_RATE_LIMIT_WINDOW_MS: '600000',
  SERVICE_RATE_LIMIT_MAX_REQUESTS: '20',
}
const together = <T>(count: number, send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))

onEveryTarget(ENV, (server) => {
  /** A sign-in that fails without the cost of a password hash. */
  const tryOut = (line: string, headers: Record<string, string>, body: unknown = { email: 'x', password: 'y' }) =>
    ask(server(), line, { headers, body })
  const limited = (answers: { status: number }[]) => answers.filter(({ status }) => status === 429).length

  test('of fifty simultaneous sign-ins from an address twenty are accepted, whatever the forwarding headers say', async () => {
    const startedAt = performance.now()
    const answers = await together(50, (index) =>
      tryOut(
        'POST /api/auth/sign-in/email',
        {
          'x-client': `203.0.113.${index}, 192.0.2.1`,
          'x-forwarded-for': `198.51.100.${index}`,
          'x-real-ip': `198.51.100.${index}`,
          'fly-client-ip': `198.51.100.${index}`,
          forwarded: `for=198.51.100.${index}`,
        },
        { email: `person-${index}`, password: 'y' },
      ),
    )
    expect(limited(answers)).toBe(30)
    const { body, headers } = answers.find(({ status }) => status === 429)!
    expect([body.code, headers.get('retry-after')]).toEqual(['RATE_LIMITED', String(body.retryAfterSeconds)])
    expect(body.retryAfterSeconds).toBeWithin(600 - Math.ceil((performance.now() - startedAt) / 1000), 603)
  })

  test('passwords, mailed links, resets and other mails have a bucket each, however the path is spelt', async () => {
    const at = { 'x-client': '192.0.2.2' }
    const purposes = [
      [
        'POST /api/auth/sign-in/email',
        'POST /api/auth/sign-up/email',
        'POST /api/auth/change-password',
        'POST /api/auth/verify-password',
        'POST /api/auth/delete-user',
      ],
      ['POST /api/auth/sign-in/magic-link'],
      ['POST /api/auth/request-password-reset', 'POST /api/auth/reset-password'],
      ['POST /api/auth/send-verification-email', 'POST /api/auth/organization/invite-member'],
    ]
    for (const lines of purposes) {
      for (let sent = 0; sent < 20; sent += 1) {
        expect((await tryOut(lines[0]!, at, { email: `p-${sent}` })).status).not.toBe(429)
      }
      for (const line of lines) {
        expect([line, (await ask(server(), line, { headers: at, body: { email: 'q' } })).status]).toEqual([line, 429])
      }
    }
    const pressed = { method: 'POST', headers: at, body: new URLSearchParams() }
    expect((await fetch(`${server().origin}/sign-in/link/x`, pressed)).status).toBe(429)
    const spellings = ['//sign-in/email', '/sign-in//email', '/sign-in/email/', '/sign%2Din/email', '/./sign-in/email']
    for (const path of [
      ...spellings,
      '/SIGN-IN/email',
      '/x/../sign-in/email',
      '/sign-in/email;x',
      '/%73ign-in/email',
    ]) {
      const { status } = await tryOut(`POST /api/auth${path}`, at)
      expect([path, status === 429 || status === 404]).toEqual([path, true])
    }
    // Reading a session and signing out are no guesses.
    expect((await ask(server(), 'GET /api/auth/get-session', { headers: at })).status).toBe(200)
    expect((await tryOut('POST /api/auth/sign-out', at, {})).status).toBe(200)
  })

  test('of fifty attempts at one account from as many addresses ten are accepted, however it is spelt', async () => {
    const spell = (index: number) => [`Victim@a.example`, 'victim@a.example', 'VICTIM@A.EXAMPLE'][index % 3]!
    const answers = await together(50, (index) =>
      tryOut(
        'POST /api/auth/sign-in/email',
        { 'x-client': `198.51.100.${index}` },
        { email: spell(index), password: 'y' },
      ),
    )
    expect(limited(answers)).toBe(40)
    const other = { email: 'somebody-else@a.example' }
    expect((await tryOut('POST /api/auth/sign-in/email', { 'x-client': '198.51.100.1' }, other)).status).not.toBe(429)
  })

  test('the sign-in page shares the same bucket', async () => {
    const headers = { 'x-client': '192.0.2.3' }
    const send = () =>
      fetch(`${server().origin}/sign-in`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ email: '', password: '' }),
      })
    for (let sent = 0; sent < 20; sent += 1)
      await tryOut('POST /api/auth/sign-in/email', headers, { email: `r-${sent}` })
    const answer = await send()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
  })

  test('a wrong password and an unknown address are the same 401', async () => {
    const { email } = await signUp(server(), { 'x-client': '192.0.2.4' })
    const headers = { 'x-client': '192.0.2.5' }
    const wrong = await tryOut('POST /api/auth/sign-in/email', headers, { email, password: `${PASSWORD}!` })
    const unknown = await tryOut('POST /api/auth/sign-in/email', headers, { email: `no-${email}`, password: PASSWORD })
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(unknown.body).toEqual({ ...wrong.body, ...told })
    expect((await tryOut('POST /api/auth/sign-in/email', headers, { email, password: PASSWORD })).status).toBe(200)
  })
})

test('a caller behind fifty queued hashes is told to wait as long as they take, and then let in', async () => {
  const took: number[] = []
  for (let made = 0; made < 20; made += 1) {
    const startedAt = performance.now()
    await hashPassword(PASSWORD)
    took.push(performance.now() - startedAt)
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  // No hash has started yet, but they already count.
  const others = Array.from({ length: 25 }, (_, index) => withHashQueue(`192.0.2.${index}`, 2, () => promise))
  const refused = await withHashQueue('198.51.100.1', 1, async () => null).catch((problem) => problem)
  expect(refused.code).toBe('RATE_LIMITED')
  const needed = (hashMs: number) => (50 * hashMs) / 2 / 1000
  expect(refused.retryAfterSeconds).toBeGreaterThan(needed(Math.min(...took)) / 2)
  expect(refused.retryAfterSeconds).toBeLessThan(needed(Math.max(...took)) * 2 + 1)
  expect(refused.message).toContain(`Try again in ${refused.retryAfterSeconds} second`)
  resolve()
  await Promise.all(others)
  expect(await withHashQueue('198.51.100.1', 1, async () => 'let in')).toBe('let in')
})
