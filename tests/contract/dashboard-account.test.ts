import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  actFor,
  addMember,
  confirm,
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
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

// The timeout that `targets.ts` sets applies only to the first file that loads it.
setDefaultTimeout(180_000)

const KEYS = '/dashboard/keys'
const ORGANIZATIONS = '/dashboard/organizations'
const SETTINGS = '/dashboard/settings'
const RAW_KEY = /oa_[0-9A-Za-z]{12}\.[0-9A-Za-z]{38}/

onEveryTarget({}, (at) => {
  let ann: Person
  let bob: Person
  beforeEach(async () => {
    ;[ann, bob] = (await Promise.all([newPerson(at()), newPerson(at())])) as [Person, Person]
  })

  const html = async (person: Visitor, path: string) => (await person.fetch(path)).text()
  const membersOf = (id: string) =>
    at().sql('SELECT user_id AS userId, role FROM member WHERE organization_id = ? ORDER BY role', [id])

  test('forms with a password say whose it is, so that no browser takes another text for the name', async () => {
    const owner = await signUp(at())
    const { slug } = await owner.makeBundle({ access: 'password', password: 'four stairs down' })
    await owner.api('POST', '/api/auth/request-password-reset', { email: owner.email })
    const reset = new URL(linkIn(await mailTo(at(), owner.email, 'Set a password'))).pathname
    const stranger = new Visitor(at())
    const pages: [Visitor, string, string][] = [
      [owner, `${SETTINGS}`, owner.email],
      [owner, `${SETTINGS}/delete`, owner.email],
      [owner, `/dashboard/links/${slug}`, slug],
      [stranger, `/l/${slug}`, slug],
      [stranger, reset, owner.email],
    ]
    for (const [visitor, path, name] of pages) {
      const inputs = elementsOf(await html(visitor, path)).filter(({ tag }) => tag === 'form' || tag === 'input')
      const at = inputs.findIndex(({ attributes }) => attributes.type === 'password')
      const form = inputs.findLastIndex(({ tag }, place) => tag === 'form' && place < at)
      const names = inputs.slice(form, at).filter(({ attributes }) => attributes.autocomplete === 'username')
      expect([path, names.map(({ attributes: { type, value } }) => [type, value])]).toEqual([path, [['text', name]]])
    }
  })

  test('the button to sign out has an icon of its own', async () => {
    const page = await html(ann, '/dashboard')
    const icon = '<svg class="icon"[^>]*><path d="([^"]*)"[^>]*><\\/path><\\/svg>\\s*'
    const [, leave] = new RegExp(`${icon}Sign out`).exec(page) ?? []
    expect(leave).toBeString()
    expect(page.split(`d="${leave}"`)).toHaveLength(2)
  })

  test('a key is shown once: not when its form is sent again, nor on any later page', async () => {
    const fields = { name: 'nightly', scope: 'links:read', rateLimitPerHour: '20', idempotencyKey: crypto.randomUUID() }
    const made = await ann.form(`${KEYS}/new`, fields)
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store, no-transform'])
    const [rawKey = ''] = RAW_KEY.exec(await made.text()) ?? []
    const bearer = new Visitor(at(), { authorization: `Bearer ${rawKey}` })
    expect((await bearer.api('GET', '/api/me')).body.scopes).toEqual(['links:read'])
    await bearer.api('GET', '/api/me')

    const again = await ann.form(`${KEYS}/new`, fields)
    expect([again.status, again.headers.get('location')]).toEqual([303, `${KEYS}?notice=keyMadeBefore`])
    const list = await html(ann, `${KEYS}?notice=keyMadeBefore`)
    expect(list).toContain('2 of 20 this hour')
    // Viewing a key does not count as using it.
    expect(await html(ann, KEYS)).toContain('2 of 20 this hour')
    for (const text of [await again.text(), list]) expect(text).not.toMatch(RAW_KEY)
    expect(await at().sql('SELECT count(*) AS keys FROM api_keys WHERE minted_by = ?', [ann.userId])).toEqual([
      { keys: 1 },
    ])
  })

  test('a refused key form comes back as typed, with the error next to its field', async () => {
    const idempotencyKey = crypto.randomUUID()
    const wrong = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ scope: 'everything' }, 'scope'],
      [{ scope: '' }, 'scope'],
      [{ rateLimitPerHour: '100001' }, 'rateLimitPerHour'],
      [{ rateLimitPerHour: '-1' }, 'rateLimitPerHour'],
      [{ rateLimitPerHour: 'many & more' }, 'rateLimitPerHour'],
    ] as const
    for (const [change, field] of wrong) {
      const fields = { name: 'a & "b"', scope: 'links:read', rateLimitPerHour: '20', idempotencyKey, ...change }
      const answer = await ann.form(`${KEYS}/new`, fields)
      expect([change, answer.status]).toEqual([change, 400])
      const elements = elementsOf(await answer.text())
      expect(
        elements.filter(({ attributes }) => attributes.class === 'error').map(({ attributes }) => attributes.id),
      ).toEqual([`${field}-error`])
      for (const name of ['name', 'rateLimitPerHour', 'idempotencyKey'] as const) {
        const input = elements.find(({ attributes }) => attributes.name === name)
        expect(input?.attributes.value ?? '').toBe(fields[name])
      }
    }
    expect(await at().sql('SELECT 1 FROM api_keys WHERE minted_by = ?', [ann.userId])).toEqual([])
  })

  test('a refused key form says what is wrong in plain words', async () => {
    const fields = { name: ' ', scope: 'links:read', rateLimitPerHour: '100001', idempotencyKey: crypto.randomUUID() }
    const html = await (await ann.form(`${KEYS}/new`, fields)).text()
    expect(html).toMatch(/id="name-error"[^>]*>Fill in this field\.</)
    expect(html).toMatch(/id="rateLimitPerHour-error"[^>]*>This must be at most 100,000\.</)
  })

  test('only admins manage an organisation’s keys: others are told why, and forced requests are refused', async () => {
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    const { body } = await ann.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name: 'of Acme' })
    await actFor(bob, id)
    for (const path of [KEYS, `${KEYS}/new`]) {
      const page = await html(bob, path)
      expect(page).toContain('can manage API keys')
      expect(page).not.toContain('of Acme')
      expect(elementsOf(page).filter(({ attributes }) => attributes.action?.startsWith(KEYS))).toEqual([])
    }
    const fields = { name: 'mine', scope: 'links:read', rateLimitPerHour: '20' }
    expect((await bob.form(`${KEYS}/new`, fields)).status).toBe(403)
    expect((await bob.fetch(`${KEYS}/${body.apiKey.id}/revoke`)).status).toBe(403)
    expect((await bob.form(`${KEYS}/${body.apiKey.id}/revoke`, {})).status).toBe(403)
    // Nor can anybody reach another subject's keys.
    await actFor(bob, null)
    expect((await bob.form(`${KEYS}/${body.apiKey.id}/revoke`, {})).status).toBe(404)
    expect(await at().sql('SELECT revoked_at FROM api_keys WHERE name = ?', ['of Acme'])).toEqual([
      { revoked_at: null },
    ])
  })

  test('each role has its controls over an organisation, and all others are refused', async () => {
    const { id, memberIds } = await newOrganization(ann, [[bob, 'editor']])
    const carol = await newPerson(at())
    const carolId = await addMember(ann, id, carol, 'viewer')
    await ann.form(`${ORGANIZATIONS}/${id}`, { email: 'dora@people.example', role: 'viewer' })
    const [{ invitation } = {}] = await at().sql('SELECT id AS invitation FROM invitation WHERE email = ?', [
      'dora@people.example',
    ])
    const forms: [string, Record<string, string>][] = [
      ['', { email: 'x@people.example', role: 'admin' }],
      ['', { name: 'Mine now' }],
      [`/invitations/${invitation}/cancel`, {}],
      [`/members/${carolId}/role`, { role: 'admin' }],
      [`/members/${carolId}/remove`, {}],
      ['/delete', { name: 'Organisation' }],
    ]
    const before = await membersOf(id)
    for (const [person, page, may] of [
      [bob, await html(bob, `${ORGANIZATIONS}/${id}`), ['move', 'leave']],
      [carol, await html(carol, `${ORGANIZATIONS}/${id}`), ['leave']],
    ] as const) {
      expect(page).not.toContain('dora@people.example')
      const targets = elementsOf(page).flatMap(({ attributes }) => [attributes.action ?? '', attributes.href ?? ''])
      const here = targets.filter((to) => to.startsWith(`${ORGANIZATIONS}/`) || to.startsWith('/api/me/export'))
      expect(here).toEqual(may.map((what) => `${ORGANIZATIONS}/${id}/${what}`))
      for (const [path, fields] of forms) {
        const { status } = await person.form(`${ORGANIZATIONS}/${id}${path}`, fields)
        expect([path, [400, 403].includes(status)]).toEqual([path, true])
      }
      expect((await person.fetch(`${ORGANIZATIONS}/${id}/delete`)).status).toBe(403)
      expect((await person.fetch(`${ORGANIZATIONS}/${id}/members/${carolId}/remove`)).status).toBe(403)
    }
    const stranger = await newPerson(at())
    for (const [path, fields] of forms) {
      expect((await stranger.form(`${ORGANIZATIONS}/${id}${path}`, fields)).status).toBe(404)
    }
    expect((await stranger.fetch(`${ORGANIZATIONS}/${id}`)).status).toBe(404)
    expect(await membersOf(id)).toEqual(before)
    expect(
      await at().sql(
        'SELECT name, status FROM organization JOIN invitation ON organization_id = organization.id WHERE email = ?',
        ['dora@people.example'],
      ),
    ).toMatchObject([{ status: 'pending' }])

    // Everything an admin may do, except removing the last admin.
    const [{ adminId } = {}] = await at().sql(
      'SELECT id AS adminId FROM member WHERE organization_id = ? AND user_id = ?',
      [id, ann.userId],
    )
    for (const [path, fields] of [
      [`/members/${adminId}/role`, { role: 'viewer' }],
      [`/members/${adminId}/remove`, {}],
      ['/leave', {}],
    ] as const) {
      expect([path, (await ann.form(`${ORGANIZATIONS}/${id}${path}`, fields)).status]).toEqual([path, 400])
    }
    expect(
      (await ann.form(`${ORGANIZATIONS}/${id}/members/${memberIds.get(bob)}/role`, { role: 'admin' })).status,
    ).toBe(303)
    expect(
      (await ann.form(`${ORGANIZATIONS}/${id}/members/${memberIds.get(bob)}/role`, { role: 'emperor' })).status,
    ).toBe(400)
    expect((await ann.form(`${ORGANIZATIONS}/${id}/leave`, {})).headers.get('location')).toBe(
      `${ORGANIZATIONS}?notice=left`,
    )
    expect(await membersOf(id)).toEqual([
      { userId: bob.userId, role: 'admin' },
      { userId: carol.userId, role: 'viewer' },
    ])
  })

  test('an organisation form sent twice makes one organisation, and invalid names come back', async () => {
    const page = await html(ann, ORGANIZATIONS)
    const slug = elementsOf(page).find(({ attributes }) => attributes.name === 'slug')?.attributes.value ?? ''
    const sent = await Promise.all([
      ann.form(ORGANIZATIONS, { name: 'Acme', slug }),
      ann.form(ORGANIZATIONS, { name: 'Acme', slug }),
    ])
    const third = await ann.form(ORGANIZATIONS, { name: 'Acme', slug })
    expect(third.status).toBe(303)
    const to = sent.concat(third).flatMap((answer) => answer.headers.get('location')?.split('?')[0] ?? [])
    expect(new Set(to).size).toBe(1)
    const rows = await at().sql('SELECT 1 FROM member WHERE user_id = ?', [ann.userId])
    expect(rows).toHaveLength(1)
    for (const name of ['', '   ', 'x'.repeat(101), 'two\u0000']) {
      const refused = await ann.form(ORGANIZATIONS, { name, slug: crypto.randomUUID() })
      expect([name, refused.status]).toEqual([name, 400])
      expect(await refused.text()).toContain('id="name-error"')
    }
    const taken = await bob.form(ORGANIZATIONS, { name: 'Other', slug })
    expect(taken.status).toBe(400)
  })

  test('a person who has a name keeps one: an empty one is refused beside its field', async () => {
    const ann = await newPerson(at())
    // Somebody without a name can save everything else.
    expect((await ann.form('/dashboard/settings', { change: 'name', name: '' })).status).toBe(303)
    expect((await ann.form('/dashboard/settings', { change: 'name', name: 'Ann' })).status).toBe(303)
    const before = (await ann.api<{ name: string }>('GET', '/api/me')).body
    for (const name of ['', '  \t ']) {
      const refused = await ann.form('/dashboard/settings', { change: 'name', name })
      expect([name, refused.status]).toEqual([name, 400])
      expect(await refused.text()).toMatch(/id="name-error"[^>]*>Enter a name\./)
    }
    expect((await ann.api<{ name: string }>('GET', '/api/me')).body).toEqual(before)
  })

  test('an invitation to an invalid address comes back as typed', async () => {
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    for (const email of ['nobody', bob.email]) {
      const refused = await ann.form(`${ORGANIZATIONS}/${id}`, { email, role: 'admin' })
      expect([email, refused.status]).toEqual([email, 400])
      const elements = elementsOf(await refused.text())
      expect(elements.find(({ attributes }) => attributes.id === 'email')?.attributes).toMatchObject({
        value: email,
        'aria-describedby': 'email-error',
      })
      expect(elements.find(({ attributes }) => 'selected' in attributes && attributes.value === 'admin')).toBeDefined()
    }
  })

  test('an organisation is deleted by typing its name, with everything in it', async () => {
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    const { url } = await ann.makeBundle()
    await ann.api('POST', '/api/me/keys', { name: 'k' })
    const asked = await html(ann, `${ORGANIZATIONS}/${id}/delete`)
    for (const says of ['1 bundle,', '1 API key', 'access for 2 members']) expect(asked).toContain(says)
    const refused = await ann.form(`${ORGANIZATIONS}/${id}/delete`, { name: 'another' })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('value="another"')])
    expect((await fetch(url)).status).toBe(200)
    const [{ name } = {}] = await at().sql('SELECT name FROM organization WHERE id = ?', [id])
    const gone = await ann.form(`${ORGANIZATIONS}/${id}/delete`, { name: String(name) })
    expect(gone.headers.get('location')).toBe(`${ORGANIZATIONS}?notice=organizationDeleted`)
    expect((await ann.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: ann.userId })
    for (const table of ['member', 'invitation', 'owners']) {
      expect(await at().sql(`SELECT 1 FROM ${table} WHERE organization_id = ?`, [id])).toEqual([])
    }
  })

  test('sessions are ended by ids that are no secrets: one, all others, but nobody else’s', async () => {
    const edith = await signUp(at(), newEmail('edith'))
    const [second, third] = [await signIn(at(), edith.email), await signIn(at(), edith.email)]
    const page = await html(edith, SETTINGS)
    const tokens = await at().sql('SELECT id, token FROM session WHERE user_id = ? ORDER BY created_at', [edith.userId])
    for (const { token } of tokens) expect(page).not.toContain(String(token))
    const ends = elementsOf(page).flatMap(
      ({ attributes }) => attributes.action?.match(/sessions\/(\w+)\/end$/)?.[1] ?? [],
    )
    expect(ends.toSorted()).toEqual(
      tokens
        .slice(1)
        .map(({ id }) => String(id))
        .toSorted(),
    )
    const works = async (person: Visitor) => (await person.api('GET', '/api/me')).status === 200

    await ann.form(`${SETTINGS}/sessions/${tokens[1]?.id}/end`, {})
    expect(await works(second)).toBe(true)
    await edith.form(`${SETTINGS}/sessions/${tokens[1]?.id}/end`, {})
    expect([await works(second), await works(third), await works(edith)]).toEqual([false, true, true])
    // The current session is ended by signing out.
    await edith.form(`${SETTINGS}/sessions/${tokens[0]?.id}/end`, {})
    await edith.form(`${SETTINGS}/sessions/end`, {})
    expect([await works(third), await works(edith)]).toEqual([false, true])
  })

  test('a password is changed with the current one, which ends other sessions but not this one', async () => {
    const edith = await signUp(at(), newEmail('edith'))
    const { id } = await newOrganization(edith)
    await actFor(edith, id)
    const other = await signIn(at(), edith.email)
    const change = (currentPassword: string, newPassword: string) =>
      edith.form(SETTINGS, { change: 'password', currentPassword, newPassword })
    for (const [present, next, field] of [
      ['not the password', 'another horse', 'currentPassword'],
      [PASSWORD, 'horse', 'newPassword'],
      [PASSWORD, 'x'.repeat(129), 'newPassword'],
    ] as const) {
      const refused = await change(present, next)
      expect([field, refused.status]).toEqual([field, 400])
      const text = await refused.text()
      expect(text).toContain(`id="${field}-error"`)
      expect(text).not.toContain(next)
    }
    expect((await change(PASSWORD, 'another horse')).headers.get('location')).toBe(`${SETTINGS}?notice=passwordChanged`)
    expect((await other.api('GET', '/api/me')).status).toBe(401)
    expect((await edith.api('GET', '/api/me')).body.subject).toEqual({ type: 'organization', organizationId: id })
    await signIn(at(), edith.email, 'another horse')
  })

  test('a person without a password sets one by mail: once, and every session ends', async () => {
    expect(await html(ann, SETTINGS)).toContain('You don’t have a password')
    await ann.form(SETTINGS, { change: 'passwordMail' })
    const link = linkIn(await mailTo(at(), ann.email, 'Set a password'))
    const token = link.split('/').at(-1) ?? ''
    const kept = JSON.stringify(await at().sql('SELECT * FROM verification'))
    expect(kept).not.toContain(token)
    const somebody = new Visitor(at())
    expect((await somebody.fetch(link)).status).toBe(200)
    const set = (password: string) => somebody.form(`/password/${token}`, { password })
    expect((await set('short')).status).toBe(400)
    expect((await set('another horse')).status).toBe(200)
    const again = await set('a third horse')
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('This link has expired')])
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
    await signIn(at(), ann.email, 'another horse')
  })

  test('an unconfirmed address is labelled so, and its mail can be sent again', async () => {
    const edith = await signUp(at(), newEmail('edith'))
    expect(await html(edith, SETTINGS)).toContain('not confirmed')
    const sent = await edith.form(SETTINGS, { change: 'verification' })
    expect(sent.headers.get('location')).toBe(`${SETTINGS}?notice=verificationSent`)
    await press(edith, linkIn(await mailTo(at(), edith.email, 'Confirm your address')))
    const page = await html(edith, SETTINGS)
    expect(page).not.toContain('not confirmed')
    expect((await edith.form(SETTINGS, { change: 'verification' })).status).toBe(400)
  })

  test('a refused form comes back into its page alone, or as a whole page without JavaScript', async () => {
    const forms: [path: string, fields: Record<string, string>, wrong: string][] = [
      [SETTINGS, { change: 'name', name: 'x'.repeat(101) }, 'name-error'],
      [`${SETTINGS}/delete`, { email: 'another' }, 'email-error'],
      [`${KEYS}/new`, { name: '', scope: 'links:read', rateLimitPerHour: '-1' }, 'rateLimitPerHour-error'],
      ['/dashboard/webhooks/new', { url: 'nonsense' }, 'url-error'],
      [ORGANIZATIONS, { name: '', slug: '' }, 'name-error'],
      ['/dashboard/links/import', { text: 'no links', do: 'read' }, 'text-error'],
    ]
    for (const [path, fields, wrong] of forms) {
      const whole = await ann.form(path, fields)
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'hx-request': 'true',
        'hx-request-type': 'partial',
        'hx-target': 'div#page',
        'hx-source': 'form',
      }
      const alone = await ann.fetch(path, { method: 'POST', body: new URLSearchParams(fields).toString(), headers })
      const into = ['hx-retarget', 'hx-reswap', 'hx-push-url'].map((name) => alone.headers.get(name))
      expect([path, alone.status, into]).toEqual([path, whole.status, ['#main', 'innerMorph show:none', 'false']])
      const [shown, page] = [await alone.text(), await whole.text()]
      expect([path, page]).toEqual([path, expect.stringContaining(`id="${wrong}"`)])
      expect([path, shown]).toEqual([path, expect.stringContaining(`id="${wrong}"`)])
      for (const part of ['<main', 'class="sections"', 'id="palette"']) {
        expect([path, part, page.includes(part), shown.includes(part)]).toEqual([path, part, true, false])
      }
    }
  })

  test('an invalid name comes back next to its error; malformed forms are refused', async () => {
    const long = await ann.form(SETTINGS, { change: 'name', name: '&'.repeat(101) })
    expect(long.status).toBe(400)
    const input = elementsOf(await long.text()).find(({ attributes }) => attributes.id === 'name')
    expect(input?.attributes).toMatchObject({ value: '&'.repeat(101), 'aria-describedby': 'name-error' })
    expect((await ann.form(SETTINGS, { change: 'name', name: ' Ann <b> ' })).status).toBe(303)
    expect(await html(ann, SETTINGS)).toContain('value="Ann <b>"')
    expect((await ann.form(SETTINGS, {})).status).toBe(400)
    expect((await ann.form(SETTINGS, { change: 'constructor' })).status).toBe(400)
  })

  test('deleting an account says what will be deleted, asks for address and password, and really deletes', async () => {
    const edith = await signUp(at(), newEmail('edith'))
    await confirm(at(), edith)
    const { slug } = await edith.makeBundle()
    await edith.api('PATCH', `/api/links/${slug}`, { title: 'edited' })
    await edith.api('POST', '/api/me/keys', { name: 'k' }, { 'idempotency-key': 'once' })
    const asked = await html(edith, `${SETTINGS}/delete`)
    for (const says of ['1 bundle of your own', '1 API key']) expect(asked).toContain(says)
    const remove = (email: string, password: string) => edith.form(`${SETTINGS}/delete`, { email, password })
    for (const [email, password, field] of [
      ['', PASSWORD, 'email'],
      [`x${edith.email}`, PASSWORD, 'email'],
      [edith.email, '', 'password'],
      [edith.email, 'not the password', 'password'],
    ] as const) {
      const refused = await remove(email, password)
      expect([field, refused.status]).toEqual([field, 400])
      const page = await refused.text()
      expect(page).toContain(`id="${field}-error"`)
      if (email !== '') expect(page).toContain(`value="${email}"`)
    }
    expect(await at().sql('SELECT 1 FROM user WHERE id = ?', [edith.userId])).toHaveLength(1)
    const gone = await remove(edith.email.toUpperCase(), PASSWORD)
    expect([gone.status, await gone.text()]).toEqual([200, expect.stringContaining('Account deleted')])
    expect(edith.cookies.size).toBe(0)
    // The index for search has numbers that JavaScript has not, and is rewritten later (docs/privacy.md).
    const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'bundle_index%'`
    for (const { name } of await at().sql(tables)) {
      const rows = JSON.stringify(await at().sql(`SELECT * FROM "${name}"`))
      expect([name, rows.includes(edith.email), rows.includes(edith.userId)]).toEqual([name, false, false])
    }
    for (const table of [
      'bundle_versions',
      'version_parts',
      'daily_counters',
      'daily_breakdowns',
      'daily_opens',
      'opened_links',
      'viewer_hashes',
      'policy_rules',
      'claims',
    ]) {
      expect(await at().sql(`SELECT 1 FROM ${table} WHERE bundle_id NOT IN (SELECT id FROM bundles)`)).toEqual([])
    }
    expect(await at().sql('SELECT 1 FROM bundles WHERE slug = ?', [slug])).toEqual([])
    expect(await at().sql('PRAGMA foreign_key_check')).toEqual([])
  })

  test('an account cannot be deleted if others would lose their last admin, or without a password after an old sign-in', async () => {
    await newOrganization(ann, [[bob, 'editor']])
    const blocked = await html(ann, `${SETTINGS}/delete`)
    expect(blocked).toContain('You’re the only admin of')
    expect(elementsOf(blocked).filter(({ attributes }) => attributes.id === 'email')).toEqual([])
    const forced = await ann.form(`${SETTINGS}/delete`, { email: ann.email })
    expect([forced.status, await forced.text()]).toEqual([
      400,
      expect.stringContaining('Make another member an admin first'),
    ])
    await newOrganization(ann, [[bob, 'editor']])
    const both = await html(ann, `${SETTINGS}/delete`)
    expect(both.match(/class="alert"/g)).toHaveLength(1)
    expect(both).toContain('You’re the only admin of these organisations')

    expect(await html(bob, `${SETTINGS}/delete`)).toContain('stay with its members')
    await at().sql('UPDATE session SET created_at = created_at - 90000000 WHERE user_id = ?', [bob.userId])
    expect(await html(bob, `${SETTINGS}/delete`)).toContain('needs a sign-in from the last 24 hours')
    expect((await bob.form(`${SETTINGS}/delete`, { email: bob.email })).status).toBe(403)
    expect((await bob.api('GET', '/api/me')).status).toBe(200)
  })

  test('another site cannot send any of these forms', async () => {
    const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    for (const path of [`${KEYS}/new`, ORGANIZATIONS, SETTINGS, `${SETTINGS}/delete`, `${SETTINGS}/sessions/end`]) {
      expect([path, (await ann.form(path, { email: ann.email, name: 'x' }, evil)).status]).toEqual([path, 403])
    }
  })
})
