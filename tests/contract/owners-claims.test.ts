import { beforeAll, describe, expect, test } from 'bun:test'
import {
  actFor,
  arriveByMail,
  type CreatedBody,
  linkIn,
  mailInBox,
  newEmail,
  newOrganization,
  newPerson,
  type Person,
  signUp,
  URL_A,
  Visitor,
} from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const GONE = { status: 404, body: { code: 'NOT_FOUND' } }

onEveryTarget({}, (at) => {
  let ann: Person
  let bob: Person
  const unclaimed = (fields: Record<string, unknown> = {}): Promise<CreatedBody> =>
    new Visitor(at()).makeBundle({ title: 'Found', ...fields })
  beforeAll(async () => {
    ;[ann, bob] = (await Promise.all([newPerson(at()), newPerson(at())])) as [Person, Person]
  })

  test('a claim gives the bundle to its claimer, with its slug, versions and editor kept', async () => {
    const { slug, url, claimToken } = await unclaimed()
    const { status, headers, body } = await ann.api('POST', '/api/claims', { token: claimToken })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe('"v1"')
    expect(body).toMatchObject({ slug, title: 'Found', owner: { type: 'user', userId: ann.userId } })
    const { body: listed } = await ann.api('GET', `/api/links/${slug}/versions`)
    expect(listed.versions).toMatchObject([{ versionNumber: 1, editedByIdentityUserId: null }])
    expect((await ann.api('PATCH', `/api/links/${slug}`, { title: 'Mine' })).status).toBe(200)
    expect(await (await fetch(url)).text()).toContain('Mine')
  })

  test('a claim deletes the token, the address and the email', async () => {
    const { slug, claimToken } = await unclaimed({ email: newEmail() })
    const rows = () =>
      at().sql(
        'SELECT address_hash, token_hash, email FROM bundles LEFT JOIN claims ON bundle_id = bundles.id WHERE slug = ?',
        [slug],
      )
    expect(await rows()).toEqual([
      { address_hash: expect.any(String), token_hash: expect.any(String), email: expect.any(String) },
    ])
    await ann.api('POST', '/api/claims', { token: claimToken })
    expect(await rows()).toEqual([{ address_hash: null, token_hash: null, email: null }])
  })

  test('the token itself is not stored', async () => {
    const { claimToken } = await unclaimed()
    const rows = await at().sql('SELECT * FROM claims')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(claimToken)
  })

  test('an unknown, used or expired claim link leads nowhere', async () => {
    const { slug, claimToken } = await unclaimed()
    expect(await ann.api('POST', '/api/claims', { token: 'never-made' })).toMatchObject(GONE)
    await at().sql(
      'UPDATE claims SET expires_at = ? WHERE bundle_id = (SELECT id FROM bundles WHERE slug = ?) RETURNING 1',
      [Date.now() - 1, slug],
    )
    expect(await ann.api('POST', '/api/claims', { token: claimToken })).toMatchObject(GONE)
    expect((await ann.fetch(`/claim/${claimToken}`)).status).toBe(404)
    expect((await fetch(`${at().origin}/l/${slug}`)).status).toBe(200)
    const second = await unclaimed()
    await ann.api('POST', '/api/claims', { token: second.claimToken })
    for (const person of [ann, bob]) {
      expect(await person.api('POST', '/api/claims', { token: second.claimToken })).toMatchObject(GONE)
    }
  })

  test('of ten simultaneous claims one wins, and the others find nothing', async () => {
    const { slug, claimToken } = await unclaimed()
    const claimers = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? ann : bob))
    const answers = await Promise.all(
      claimers.map((person) => person.api('POST', '/api/claims', { token: claimToken })),
    )
    const winners = answers.flatMap(({ status }, n) => (status === 200 ? [claimers[n]] : []))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)])
    expect((await winners[0]?.api('GET', `/api/links/${slug}`))?.body.owner).toEqual({
      type: 'user',
      userId: winners[0]?.userId,
    })
  })

  test('a claim goes to the active organisation, for editors and admins only', async () => {
    const { id } = await newOrganization(ann, [[bob, 'viewer']])
    await actFor(bob, id)
    const { slug, claimToken } = await unclaimed()
    expect(await bob.api('POST', '/api/claims', { token: claimToken })).toMatchObject({
      status: 403,
      body: { error: 'needs role editor (you are viewer)' },
    })
    await actFor(bob, null)
    const { body } = await ann.api('POST', '/api/claims', { token: claimToken })
    expect(body).toMatchObject({ slug, owner: { type: 'organization', organizationId: id } })
    await actFor(ann, null)
  })

  test('a claim needs either a token or a slug', async () => {
    for (const body of [{}, { token: 'x', slug: 'y' }, { token: '' }, { token: 1 }]) {
      expect((await ann.api('POST', '/api/claims', body)).status).toBe(400)
    }
  })

  describe('the page of a claim link', () => {
    test('shows the bundle and the ways to get an account, which come back to it', async () => {
      const { claimUrl, claimToken } = await unclaimed()
      const html = await (await fetch(claimUrl)).text()
      const next = encodeURIComponent(`/claim/${claimToken}`)
      expect(html).toContain('Found')
      expect(html).toContain(URL_A)
      expect(html).toContain(`/sign-up?next=${next}`)
      expect(html).toContain(`/sign-in?next=${next}`)
    })

    test('leads through sign-up, which claims', async () => {
      const { slug, claimToken } = await unclaimed()
      const visitor = new Visitor(at())
      const next = `/claim/${claimToken}`
      const signUpPage = await (await visitor.fetch(`/sign-up?next=${encodeURIComponent(next)}`)).text()
      expect(signUpPage).toContain(`name="next" value="${next}"`)
      const fields = { email: newEmail(), password: 'correct horse battery', name: 'New', next }
      const signedUp = await visitor.form('/sign-up', fields)
      expect([signedUp.status, signedUp.headers.get('location')]).toEqual([303, `/claims?claimed=${slug}`])
      expect((await visitor.api('GET', `/api/links/${slug}`)).status).toBe(200)
      expect((await new Visitor(at()).fetch(next)).status).toBe(404)
    })
  })

  describe('with the email address it was made with', () => {
    test('a claim link is mailed to the address, and works', async () => {
      const email = newEmail()
      const { url, claimUrl } = await unclaimed({ email })
      const mail = await mailInBox(at(), email, 'Your private edit link')
      expect(mail.subject).toContain(url)
      expect(mail.text).toContain(claimUrl)
    })

    test('a bundle is offered without its token to people who have confirmed that address, in any case', async () => {
      const email = newEmail('Mixed.Case')
      const { slug, url } = await unclaimed({ email })
      const owner = await arriveByMail(at(), email.toLowerCase())
      const { body } = await owner.api('GET', '/api/me/claims')
      expect(body.bundles).toEqual([
        { slug, url, versionNumber: 1, title: 'Found', urls: expect.any(Array), urlMetadata: expect.any(Array) },
      ])
      expect(await (await owner.fetch('/claims')).text()).toContain(`value="${slug}"`)
      expect(await owner.api('POST', '/api/claims', { slug })).toMatchObject({
        status: 200,
        body: { slug, owner: { type: 'user', userId: owner.userId } },
      })
      expect((await owner.api('GET', '/api/me/claims')).body.bundles).toEqual([])
    })

    test('all bundles made with an address can be reached, the newest first', async () => {
      const owner = await newPerson(at())
      const slugs: string[] = []
      for (let made = 0; made < 43; made += 1) slugs.push((await unclaimed({ email: owner.email })).slug)
      const newest = slugs.toReversed()
      const slugsOf = (html: string) => [...html.matchAll(/name="slug" value="([^"]+)"/g)].map(([, slug]) => slug)
      const page = async (path: string) => (await owner.fetch(path)).text()
      const pages = [await page('/claims'), await page('/claims?offset=20'), await page('/claims?offset=40')]
      expect(pages.flatMap(slugsOf)).toEqual(newest)
      expect(pages.map((html) => [...html.matchAll(/rel="(next|prev)"/g)].map(([, where]) => where))).toEqual([
        ['next'],
        ['prev', 'next'],
        ['prev'],
      ])
      expect(pages[0]).toContain('Keep 43')
      const { body } = await owner.api('GET', '/api/me/claims?limit=2&offset=41')
      expect((body.bundles as { slug: string }[]).map(({ slug }) => slug)).toEqual(newest.slice(41))
      expect((await owner.api('GET', '/api/me/claims?limit=101')).status).toBe(400)
    })

    test('an unconfirmed address is offered nothing and can claim nothing', async () => {
      const email = newEmail()
      const { slug } = await unclaimed({ email })
      const squatter = await signUp(at(), email)
      expect((await squatter.api('GET', '/api/me/claims')).body).toEqual({ bundles: [], hasMore: false })
      expect(await squatter.api('POST', '/api/claims', { slug })).toMatchObject(GONE)
      expect((await squatter.form('/claims', { slug })).status).toBe(404)
    })

    test('another address cannot claim by slug, and nobody can if the bundle was made without an address', async () => {
      const verified = await newPerson(at())
      const withAddress = await unclaimed({ email: newEmail() })
      const without = await unclaimed()
      for (const { slug } of [withAddress, without]) {
        expect(await verified.api('POST', '/api/claims', { slug })).toMatchObject(GONE)
      }
    })
  })

  test('the link in the claim mail opens the claim', async () => {
    const email = newEmail()
    await unclaimed({ email })
    const { text } = await mailInBox(at(), email, 'Your private edit link')
    const page = await fetch(linkIn({ text: text.slice(text.indexOf('add it to your account')) }))
    expect(page.status).toBe(200)
  })
})
