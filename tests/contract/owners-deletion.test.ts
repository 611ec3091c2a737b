import { beforeEach, expect, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import {
  actFor,
  linkIn,
  mailTo,
  newOrganization,
  newPerson,
  PASSWORD,
  type Person,
  press,
  signUp,
  URL_A,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (at) => {
  let ann: Person
  let bob: Person
  beforeEach(async () => {
    ;[ann, bob] = (await Promise.all([newPerson(at()), newPerson(at())])) as [Person, Person]
  })

  /** A bundle with a version, and with views and clicks that have not been written yet. */
  async function usedBundle(person: Person): Promise<{ slug: string; url: string }> {
    const made = await person.makeBundle()
    await person.api('PATCH', `/api/links/${made.slug}`, { title: 'edited' })
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0' }
    await fetch(made.url, { headers: browser })
    await person.api('POST', `/api/links/${made.slug}/events`, { kind: 'open_all' }, browser)
    await person.api('POST', `/api/links/${made.slug}/events`, { kind: 'open_tabs', urls: [URL_A] }, browser)
    return made
  }

  /** Nothing of it is readable through its link, its routes or the database, and no reference dangles. */
  async function isGone({ slug, url }: { slug: string; url: string }) {
    // Launchers check for changes of other processes twice a second.
    await becomes(async () => (await fetch(url)).status, 404)
    expect((await fetch(`${url}/bookmarks.html`)).status).toBe(404)
    expect((await bob.api('GET', `/api/links/${slug}`)).status).toBe(404)
    expect(await at().sql('SELECT 1 FROM bundles WHERE slug = ?', [slug])).toEqual([])
    for (const table of [
      'bundle_versions',
      'version_parts',
      'claims',
      'daily_counters',
      'daily_breakdowns',
      'daily_opens',
      'opened_links',
      'viewer_hashes',
    ]) {
      expect(await at().sql(`SELECT 1 FROM ${table} WHERE bundle_id NOT IN (SELECT id FROM bundles)`)).toEqual([])
    }
    expect(await at().sql('PRAGMA foreign_key_check')).toEqual([])
  }

  const remove = (person: Person) => person.api('POST', '/api/auth/delete-user', {})

  test('deleting an account requires its password, if sent, leaves nothing readable, and ends its sessions', async () => {
    const ann = await signUp(at())
    const made = await usedBundle(ann)
    const wrong = await ann.api('POST', '/api/auth/delete-user', { password: 'not the password' })
    expect(wrong).toMatchObject({ status: 400, body: { error: expect.any(String), code: 'INVALID_PASSWORD' } })
    expect((await ann.api('GET', `/api/links/${made.slug}`)).status).toBe(200)
    expect((await ann.api('POST', '/api/auth/delete-user', { password: PASSWORD })).status).toBe(200)
    await isGone(made)
    expect((await ann.api('GET', '/api/me')).status).toBe(401)
    const again = await new Visitor(at()).api('POST', '/api/auth/sign-in/email', {
      email: ann.email,
      password: PASSWORD,
    })
    expect(again.status).toBe(401)
    const rows = await Promise.all(
      ['session', 'account', 'member', 'owners'].map((table) =>
        at().sql(`SELECT 1 FROM ${table} WHERE user_id = ?`, [ann.userId]),
      ),
    )
    expect(rows).toEqual([[], [], [], []])
  })

  test('what others keep does not name the person who deleted their account', async () => {
    const { id } = await newOrganization(bob)
    const invite = { email: ann.email, role: 'viewer', organizationId: id }
    await bob.api('POST', '/api/auth/organization/invite-member', invite)
    const claimable = await new Visitor(at()).makeBundle({ email: ann.email })
    const key = { 'idempotency-key': 'made once' }
    const made = await ann.api<{ slug: string }>('POST', '/api/links', { urls: ['https://a.example/'] }, key)
    await ann.api('POST', '/api/me/keys', { name: 'a key' }, key)
    await ann.api('POST', '/api/auth/sign-in/magic-link', { email: ann.email, callbackURL: '/' })
    const [{ answers } = {}] = await at().sql('SELECT count(*) AS answers FROM idempotency_answers')
    expect(Number(answers)).toBeGreaterThanOrEqual(2)
    const link = linkIn(await mailTo(at(), ann.email, 'Your sign-in link'))
    expect((await remove(ann)).status).toBe(200)
    await isGone({ slug: made.body.slug, url: `${at().origin}/l/${made.body.slug}` })
    expect(await at().sql('SELECT 1 FROM idempotency_answers WHERE owner_id IS NOT NULL')).toEqual([])
    expect(await at().sql('SELECT 1 FROM api_keys WHERE minted_by = ?', [ann.userId])).toEqual([])
    // A bundle made with the address can still be claimed with its token.
    expect((await fetch(claimable.claimUrl)).status).toBe(200)
    // The index for search has numbers that JavaScript has not, and is rewritten later (docs/privacy.md).
    const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'bundle_index%'`
    for (const { name } of await at().sql(tables)) {
      const rows = JSON.stringify(await at().sql(`SELECT * FROM "${name}"`))
      expect([name, rows.includes(ann.email), rows.includes(ann.userId)]).toEqual([name, false, false])
    }
    await press(new Visitor(at()), link)
    expect(await at().sql('SELECT 1 FROM user WHERE email = ?', [ann.email])).toEqual([])
  })

  test('deleting an organisation leaves nothing readable, and members act for themselves', async () => {
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    await actFor(bob, id)
    const made = await usedBundle(bob)
    expect((await ann.api('POST', '/api/auth/organization/delete', { organizationId: id })).status).toBe(200)
    await isGone(made)
    expect((await bob.api('GET', '/api/me')).body.subject).toEqual({ type: 'user', userId: bob.userId })
    expect(await at().sql('SELECT 1 FROM owners WHERE organization_id = ?', [id])).toEqual([])
  })

  test('an organisation without other members is deleted with the account', async () => {
    await newOrganization(ann)
    const made = await usedBundle(ann)
    expect((await remove(ann)).status).toBe(200)
    await isGone(made)
  })

  test('the only admin must hand over first; then what they made for the organisation stays', async () => {
    const { id, memberIds } = await newOrganization(ann, [[bob, 'editor']])
    const { slug, url } = await usedBundle(ann)
    const refused = await remove(ann)
    expect(refused).toMatchObject({ status: 400, body: { code: 'LAST_ADMIN' } })
    expect((await ann.api('GET', '/api/me')).status).toBe(200)
    const words = { memberId: memberIds.get(bob), role: 'admin', organizationId: id }
    await ann.api('POST', '/api/auth/organization/update-member-role', words)
    expect((await remove(ann)).status).toBe(200)
    expect((await fetch(url)).status).toBe(200)
    expect((await bob.api('DELETE', `/api/links/${slug}`)).status).toBe(200)
    expect(await at().sql('PRAGMA foreign_key_check')).toEqual([])
  })
})
