import { describe, expect, test } from 'bun:test'
import {
  arriveByMail,
  linkIn,
  mailTo,
  newEmail,
  newOrganization,
  newPerson,
  PASSWORD,
  press,
  signIn,
  signUp,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

const ERROR = { error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/), ...told }

onEveryTarget({}, (at) => {
  const send = (path: string, body: unknown, who = new Visitor(at())) => who.api('POST', `/api/auth${path}`, body)

  test('signing up signs in, and so does signing in again', async () => {
    const ann = await signUp(at())
    expect((await ann.api('GET', '/api/me')).status).toBe(200)
    const again = await signIn(at(), ann.email)
    expect((await again.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: ann.userId })
  })

  test('a sign-out ends the session, not only the cookie', async () => {
    const ann = await newPerson(at())
    const kept = new Map(ann.cookies)
    expect((await send('/sign-out', {}, ann)).status).toBe(200)
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
    for (const [name, value] of kept) ann.cookies.set(name, value)
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
  })

  test('an expired session is no session', async () => {
    const ann = await newPerson(at())
    await at().sql('UPDATE session SET expires_at = ? WHERE user_id = ? RETURNING 1', [Date.now() - 1, ann.userId])
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
  })

  test('a tampered cookie is no session', async () => {
    const ann = await newPerson(at())
    const bob = await newPerson(at())
    const [[name, value] = ['', '']] = ann.cookies
    const text = decodeURIComponent(value)
    const [token = '', signature = ''] = text.split('.')
    const other = decodeURIComponent([...bob.cookies.values()][0] ?? '').split('.')
    const tampered = [token, `${token}.`, `.${signature}`, `${token.slice(1)}.${signature}`, `${token}.${other[1]}`]
    for (const bad of [...tampered, `${other[0]}.${signature}`, `${text}x`, '%', '', 'a'.repeat(9000)]) {
      const visitor = new Visitor(at())
      visitor.cookies.set(name, bad === '%' ? bad : encodeURIComponent(bad))
      expect([bad.slice(0, 80), (await visitor.api('GET', '/api/me')).status]).toEqual([bad.slice(0, 80), 401])
    }
  })

  test('the first user has no special rights', async () => {
    const [first] = await at().sql('SELECT email FROM user ORDER BY created_at LIMIT 1')
    const ann = await newPerson(at())
    const { slug } = await ann.makeBundle()
    const visitor = await arriveByMail(at(), String(first?.email))
    expect((await visitor.api('GET', `/api/links/${slug}`)).status).toBe(403)
    expect((await visitor.api('GET', '/api/auth/admin/list-users')).status).toBe(404)
  })

  test('a password is stored as a scrypt hash with its own salt', async () => {
    const [ann, bob] = await Promise.all([signUp(at()), signUp(at())])
    const stored = async (userId: string) => {
      const [row] = await at().sql('SELECT password FROM account WHERE user_id = ?', [userId])
      return String(row?.password)
    }
    const [one, two] = [await stored(ann.userId), await stored(bob.userId)]
    expect(one).toMatch(/^[\w-]{22}:[\w-]{86}$/)
    expect(one).not.toBe(two)
    expect(one).not.toContain(PASSWORD)
  })

  describe('nothing reveals which addresses have an account:', () => {
    /** An answer without the values that differ each time. */
    const shape = ({ status, headers, body }: Awaited<ReturnType<Visitor['api']>>) => ({
      status,
      headers: Object.fromEntries(
        [...headers]
          .filter(([name]) => !['date', 'content-length', 'x-request-id'].includes(name))
          .map(([name, value]) => [name, name === 'set-cookie' ? value.replace(/=[^;]+/, '=…') : value]),
      ),
      cookies: headers.getSetCookie().map((text) => decodeURIComponent(text.split('=')[1]?.split(';')[0] ?? '').length),
      body: JSON.stringify(body, (key, value) =>
        typeof value === 'string' && key !== 'name' && key !== 'email' ? value.replace(/[\w]/g, 'x') : value,
      ),
    })

    test('a sign-up for an existing address answers like any other, signs nobody in to it, and mails its owner', async () => {
      const ann = await signUp(at(), newEmail('same.length'))
      const words = (email: string) => ({ email: email.toUpperCase(), password: 'another password', name: 'Name' })
      const [thief, fresh] = [new Visitor(at()), new Visitor(at())]
      const known = await send('/sign-up/email', words(ann.email), thief)
      const other = newEmail('same.length')
      const unknown = await send('/sign-up/email', words(other), fresh)
      const masked = (answer: typeof known) =>
        JSON.parse(JSON.stringify(shape(answer)).replaceAll(ann.email, '…').replaceAll(other, '…'))
      expect(masked(known)).toEqual(masked(unknown))
      const user = known.body.user as { createdAt: string; updatedAt: string; id: string }
      expect(user.createdAt).toBe(user.updatedAt)
      expect(user.id).not.toBe(ann.userId)
      for (const [person, answer] of [
        [thief, known],
        [fresh, unknown],
      ] as const) {
        const { id } = answer.body.user as { id: string }
        expect((await person.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: id })
      }
      expect((await mailTo(at(), ann.email, 'You already have an account')).text).toContain('/sign-in')
      expect(await at().sql('SELECT 1 FROM user WHERE email = ?', [ann.email])).toHaveLength(1)
    })

    test('the page after a sign-up is the same for both', async () => {
      const ann = await signUp(at())
      const sent = async (email: string) => {
        const answer = await new Visitor(at()).form('/sign-up', { email, password: 'another password', name: '' })
        const cookies = answer.headers.getSetCookie().map((text) => text.replace(/=[^;]+/, '=…'))
        return { status: answer.status, location: answer.headers.get('location'), cookies }
      }
      expect(await sent(ann.email)).toEqual(await sent(newEmail()))
    })

    test('a sign-in for an unknown address is refused like one with a wrong password', async () => {
      const ann = await signUp(at())
      const unknown = await send('/sign-in/email', { email: newEmail(), password: PASSWORD })
      const wrong = await send('/sign-in/email', { email: ann.email, password: 'not the password' })
      expect(wrong.status).toBe(401)
      expect(shape(wrong)).toEqual(shape(unknown))
    })

    test('a sign-in link is promised for both alike', async () => {
      const ann = await newPerson(at())
      const ask = async (email: string) => shape(await send('/sign-in/magic-link', { email }))
      expect(await ask(ann.email)).toEqual(await ask(newEmail()))
    })

    test('simultaneous sign-ups for one address all answer alike and make one account', async () => {
      const email = newEmail()
      const calls = [0, 1, 2].map(() => send('/sign-up/email', { email, password: PASSWORD, name: 'x' }))
      const answers = await Promise.all(calls)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await at().sql('SELECT 1 FROM user WHERE email = ?', [email])).toHaveLength(1)
    })
  })

  describe('a mailed sign-in link', () => {
    const newLink = async (email: string, callbackURL = '/') => {
      await send('/sign-in/magic-link', { email, callbackURL })
      return linkIn(await mailTo(at(), email, 'Your sign-in link'))
    }

    test('signs in once, with a confirmed address, and its token is not stored', async () => {
      const email = newEmail()
      const link = await newLink(email, '/claims')
      const token = new URL(link).pathname.split('/').at(-1) ?? ''
      expect(token.length).toBeGreaterThanOrEqual(32)
      const rows = await at().sql('SELECT * FROM verification')
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(token)
      const [first, second] = [new Visitor(at()), new Visitor(at())]
      const opened = await press(first, link)
      expect(opened.headers.get('location')).toMatch(/\/claims$/)
      expect((await first.api('GET', '/api/me')).status).toBe(200)
      expect(await at().sql('SELECT email_verified FROM user WHERE email = ?', [email])).toEqual([
        { email_verified: 1 },
      ])
      await press(second, link)
      expect((await second.api('GET', '/api/me')).status).toBe(401)
    })

    test('pressed twice at once signs one browser in', async () => {
      const link = await newLink(newEmail())
      const browsers = [0, 1, 2, 3].map(() => new Visitor(at()))
      await Promise.all(browsers.map((browser) => press(browser, link)))
      expect(browsers.filter(({ cookies }) => cookies.size > 0)).toHaveLength(1)
    })

    test('is not used up by a mail scanner that fetches it', async () => {
      const link = await newLink(newEmail())
      await fetch(link, { method: 'HEAD', redirect: 'manual' })
      const browser = new Visitor(at())
      await press(browser, link)
      expect((await browser.api('GET', '/api/me')).status).toBe(200)
    })

    test('that is used or made up leads to a page that says so, and offers another', async () => {
      const visitor = new Visitor(at())
      const email = newEmail()
      await visitor.form('/sign-in/link', { email, next: '/claims' })
      const link = linkIn(await mailTo(at(), email, 'Your sign-in link'))
      await press(new Visitor(at()), link)
      for (const answer of [await visitor.fetch(link), await press(visitor, link)]) {
        expect(answer.status).toBe(410)
        const html = await answer.text()
        expect(html).toContain('This link has expired')
        expect(html).toContain('href="/sign-in?next=%2Fclaims"')
      }
      expect(visitor.cookies.size).toBe(0)
    })
  })

  describe('an account made by somebody else with an address that is not theirs', () => {
    test('does not survive the sign-in link of the address’s owner', async () => {
      const squatter = await signUp(at())
      const owner = await arriveByMail(at(), squatter.email)
      expect((await owner.api('GET', '/api/me')).status).toBe(200)
      expect((await squatter.api('GET', '/api/me')).status).toBe(401)
      const back = await send('/sign-in/email', { email: squatter.email, password: PASSWORD })
      expect(back.status).toBe(401)
    })
  })

  test('names and pictures, of users and organisations, have bounds', async () => {
    const person = await signUp(at())
    const refusal = async (path: string, body: unknown) => {
      const answer = await person.api<{ error: string; code: string }>('POST', `/api/auth${path}`, body)
      return [answer.status, answer.body.code, answer.body.error]
    }
    const long = 'x'.repeat(101)
    const tooLong = [400, 'BAD_REQUEST', 'name must be at most 100 characters']
    const account = { email: newEmail(), password: PASSWORD }
    expect(await refusal('/sign-up/email', { ...account, name: long })).toEqual(tooLong)
    expect(await refusal('/update-user', { name: long })).toEqual(tooLong)
    expect(await refusal('/update-user', { name: 'a\u0000b' })).toContain('name must be free of control characters')
    expect(await refusal('/update-user', { image: 'x'.repeat(2049) })).toContain(
      'image must be at most 2048 characters',
    )
    expect(await refusal('/organization/create', { name: long, slug: 'bounded' })).toEqual(tooLong)
    expect(await refusal('/organization/update', { data: { name: long } })).toEqual(tooLong)
    const metadata = { text: 'x'.repeat(2048) }
    expect((await refusal('/organization/create', { name: 'x', slug: 'bounded', metadata }))[0]).toBe(400)
    expect((await person.api('POST', '/api/auth/update-user', { name: 'ü'.repeat(100) })).status).toBe(200)
    for (const name of [null, 5, true, ['x'], { a: 1 }])
      expect(await refusal('/update-user', { name })).toEqual([400, 'BAD_REQUEST', 'name must be a string'])
    for (const image of [5, ['x']]) expect((await refusal('/update-user', { image }))[2]).toBe('image must be a string')
    expect((await person.api('POST', '/api/auth/update-user', { image: null })).status).toBe(200)
    await newOrganization(person)
    const nothing = 'data must be an object with at least one field to change'
    for (const data of [{}, { foo: 1 }, { id: 'x' }])
      expect(await refusal('/organization/update', { data })).toEqual([400, 'BAD_REQUEST', nothing])
    for (const field of ['sortBy', 'filterField']) {
      const list = `/api/auth/organization/list-members?${field}=nope&filterValue=x`
      const { status, body } = await person.api<{ error: string }>('GET', list)
      expect([status, body.error]).toEqual([400, `${field} must be id, userId, organizationId, role or createdAt`])
    }
  })

  test('of a browser a session keeps no more than lists show', async () => {
    const email = newEmail()
    const { userId } = await signUp(at(), email)
    const visitor = new Visitor(at(), { 'user-agent': `Mozilla/5.0 ${'x'.repeat(10_000)}` })
    await visitor.api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })
    const [row] = await at().sql('SELECT max(length(user_agent)) AS most FROM session WHERE user_id = ?', [userId])
    expect(row?.most).toBe(500)
  })

  test('a user cannot make their own address confirmed, nor change it', async () => {
    const ann = await signUp(at())
    for (const [path, body] of [
      ['/update-user', { emailVerified: true }],
      ['/update-user', { email: 'else@people.example' }],
      ['/change-email', { newEmail: 'else@people.example' }],
      ['/update-session', { activeOrganizationId: 'x', userId: 'y', expiresAt: 9e15 }],
    ] as const) {
      const { status, body: answer } = await send(path, body, ann)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(answer).toEqual(ERROR)
    }
    expect(await at().sql('SELECT email, email_verified FROM user WHERE id = ?', [ann.userId])).toEqual([
      { email: ann.email, email_verified: 0 },
    ])
    const forged = await send('/sign-up/email', {
      email: newEmail(),
      password: PASSWORD,
      name: '',
      emailVerified: true,
    })
    expect(
      await at().sql('SELECT 1 FROM user WHERE email_verified = 1 AND id = ?', [
        String((forged.body.user as { id: string } | undefined)?.id),
      ]),
    ).toEqual([])
  })

  test.each([
    ['GET', '/nothing', undefined, 404],
    ['POST', '/nothing', {}, 404],
    ['POST', '/sign-in/email', {}, 400],
    ['POST', '/sign-in/email', { email: 'no address', password: PASSWORD }, 400],
    ['POST', '/sign-up/email', { email: 'x@y.example', password: 'short', name: '' }, 400],
    ['POST', '/organization/create', { name: 'x', slug: 'x' }, 401],
    ['POST', '/organization/set-active', { organizationId: 'x' }, 401],
    ['GET', '/list-sessions', undefined, 401],
    ['DELETE', '/sign-out', undefined, 405],
    ['GET', '/error?error=x', undefined, 302],
  ] as const)('%s /api/auth%s answers with the common error format', async (method, path, body, status) => {
    const response = await new Visitor(at()).fetch(`/api/auth${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    expect(response.status).toBe(status)
    if (status === 302) expect(response.headers.get('location')).toStartWith('/sign-in')
    else expect(await response.json()).toMatchObject(ERROR)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})
