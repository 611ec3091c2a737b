import { expect, test } from 'bun:test'
import { newOrganization, PASSWORD, type Person, signIn, signUp, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (at) => {
  /** The organisation that a person acts for, or null. */
  const acting = async (visitor: Visitor) =>
    (await visitor.api<{ subject: { organizationId?: string } }>('GET', '/api/me')).body.subject.organizationId ?? null
  const signOut = (visitor: Visitor) => visitor.form('/sign-out', {})
  const signBackIn = (visitor: Visitor, { email }: Person) =>
    visitor.api('POST', '/api/auth/sign-in/email', { email, password: PASSWORD })

  test('after signing out and in again a person acts for the same organisation', async () => {
    const ann = await signUp(at())
    const { id } = await newOrganization(ann)
    expect(await acting(ann)).toBe(id)
    await signOut(ann)
    await signBackIn(ann, ann)
    expect(await acting(ann)).toBe(id)

    await ann.form('/dashboard/subject', { organizationId: '' })
    await signOut(ann)
    await signBackIn(ann, ann)
    expect(await acting(ann)).toBeNull()

    await ann.form('/dashboard/subject', { organizationId: id })
    await signOut(ann)
    await signBackIn(ann, ann)
    expect(await acting(ann)).toBe(id)
    // Another browser keeps no such memory.
    expect(await acting(await signIn(at(), ann.email))).toBeNull()
  })

  test('a link to somebody else’s organisation is refused, and ends nothing of whom the visitor acts for', async () => {
    const [ann, bob] = [await signUp(at()), await signUp(at())]
    const { id } = await newOrganization(ann)
    const theirs = await newOrganization(bob)
    const { body } = await bob.api<{ slug: string }[]>('GET', '/api/auth/organization/list')
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    for (const name of ['get-organization', 'get-full-organization']) {
      for (const query of [`organizationId=${theirs.id}`, `organizationSlug=${body[0]?.slug}`]) {
        const refused = await ann.fetch(`/api/auth/organization/${name}?${query}`, { headers })
        expect([name, query, refused.status, await acting(ann)]).toEqual([name, query, 403, id])
      }
    }
    const refused = await ann.api('POST', '/api/auth/organization/set-active', { organizationId: theirs.id })
    expect([refused.status, await acting(ann)]).toEqual([403, id])
    expect((await ann.api('GET', `/api/auth/organization/get-organization?organizationId=${id}`)).status).toBe(200)
  })

  test('a former member does not, nor does another user of the browser, whatever the cookie says', async () => {
    const [ann, bob] = [await signUp(at()), await signUp(at())]
    const { id } = await newOrganization(ann)
    await signOut(ann)
    const cookie = ann.cookies.get('workspace') ?? ''
    expect(cookie).toContain(id)

    await signBackIn(ann, bob)
    expect(await acting(ann)).toBeNull()
    await signOut(ann)

    bob.cookies.set('workspace', cookie)
    await signOut(bob)
    bob.cookies.set('workspace', cookie)
    await signBackIn(bob, bob)
    expect(await acting(bob)).toBeNull()

    await at().sql('DELETE FROM member WHERE organization_id = ? RETURNING 1', [id])
    await signBackIn(ann, ann)
    expect(await acting(ann)).toBeNull()
  })

  test('a cookie that we did not set is ignored', async () => {
    const ann = await signUp(at())
    for (const value of ['x', `${'a'.repeat(22)}.${'b'.repeat(64)}`, 'ä', '.'.repeat(3000)]) {
      await signOut(ann)
      ann.cookies.set('workspace', encodeURIComponent(value))
      expect((await signBackIn(ann, ann)).status).toBe(200)
      expect(await acting(ann)).toBeNull()
    }
  })
})
