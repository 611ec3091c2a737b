import { expect, setDefaultTimeout, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { told } from '../told.ts'

// The timeout that `targets.ts` sets applies only to the first file that loads it.
setDefaultTimeout(180_000)

/** Links to other pages that every dashboard page has. */
const SECTIONS = '<nav class="sections"'

onEveryTarget({}, (at) => {
  const errors = async (person: Person, path: string) => {
    const answer = await person.fetch(path)
    return { status: answer.status, html: await answer.text() }
  }

  test('a missing page is reported within the dashboard, in plain words', async () => {
    const ann = await newPerson(at())
    const [gone, theirs] = [await ann.makeBundle(), await (await newPerson(at())).makeBundle()]
    await ann.api('DELETE', `/api/links/${gone.slug}`)
    const cases: [string, number, string][] = [
      ['/dashboard/nothing', 404, 'Page not found'],
      [`/dashboard/links/${gone.slug}`, 404, 'It may have been deleted.'],
      [`/dashboard/links/${theirs.slug}`, 403, 'This bundle belongs to another account.'],
      ['/dashboard/organizations/made-up', 404, 'This organisation doesn’t exist'],
      ['/dashboard/keys/99/revoke', 404, 'This API key doesn’t exist'],
      ['/dashboard/subject', 405, 'This page can’t be opened like this.'],
    ]
    for (const [path, status, says] of cases) {
      expect([path, await errors(ann, path)]).toEqual([path, { status, html: expect.stringContaining(says) }])
      expect((await errors(ann, path)).html).toContain(SECTIONS)
    }
    expect((await new Visitor(at()).fetch('/dashboard/nothing')).status).toBe(404)
  })

  test('a missing role is explained in plain words, and the API keeps its own message', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [[bob, 'viewer']])
    await actFor(ann, id)
    const { slug } = await ann.makeBundle()
    const refused = await bob.form(`/dashboard/links/${slug}/delete`, {})
    const html = await refused.text()
    expect(refused.status).toBe(403)
    expect(html).toContain('You need the admin role to do this. You’re a viewer.')
    expect(html).toContain(SECTIONS)
    const { body } = await bob.api('DELETE', `/api/links/${slug}`)
    expect(body).toEqual({ error: 'needs role admin (you are viewer)', code: 'FORBIDDEN', ...told })
    expect((await errors(bob, `/dashboard/organizations/${id}/delete`)).html).toContain('You need the admin role')
  })

  test('htmx gets a page for a page, and only the error next to a form', async () => {
    const ann = await newPerson(at())
    const htmx = { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-target': 'div#page' }
    const page = await (await ann.fetch('/dashboard/links/nothing-here', { headers: htmx })).text()
    expect(page).toContain(SECTIONS)
    expect(page).not.toContain('<html')
    const form = await ann.form('/dashboard/links/nothing-here/delete', {}, htmx)
    expect(form.headers.get('hx-retarget')).toBe('#messages')
    expect(await form.text()).not.toContain(SECTIONS)
  })
})
