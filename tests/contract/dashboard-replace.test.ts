import { expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Replacing a link in all bundles, by the dashboard's forms.

const OLD = 'https://old.example/plan'
const NEW = 'https://new.example/plan'
const page = async (by: Visitor, path: string) => (await by.fetch(path)).text()
const urlsOf = async (by: Visitor, slug: string) =>
  (await by.api<{ urls: string[] }>('GET', `/api/links/${slug}`)).body.urls

onEveryTarget({}, (at) => {
  test('a search for a link offers to replace it, which shows first where it stands', async () => {
    const person = await newPerson(at())
    const [one, other] = [await person.makeBundle({ urls: [OLD] }), await person.makeBundle({ urls: [`${OLD}/2`] })]
    const found = await page(person, `/dashboard?q=${encodeURIComponent(OLD)}`)
    const from = /href="(\/dashboard\/replace[^"]*)"/.exec(found)?.[1] ?? ''
    expect([found.includes('Used in 2 bundles.'), from]).toEqual([
      true,
      `/dashboard/replace?from=${encodeURIComponent(OLD)}`,
    ])
    expect(await page(person, '/dashboard?q=plan')).not.toContain('/dashboard/replace')
    expect(await page(person, from)).toContain(`value="${OLD}"`)

    const looked = await person.form('/dashboard/replace', { from: OLD, to: NEW, do: 'look' })
    const shown = await looked.text()
    expect([looked.status, shown.includes('Replace in 1 bundle'), shown.includes(`/l/${one.slug}`)]).toEqual([
      200,
      true,
      true,
    ])
    expect(shown).not.toContain(`/l/${other.slug}`)
    expect(await urlsOf(person, one.slug)).toEqual([OLD])

    const done = await person.form('/dashboard/replace', { from: OLD, to: NEW, do: 'replace' })
    expect([done.status, done.headers.get('location')]).toEqual([
      303,
      `/dashboard?q=${encodeURIComponent(NEW)}&notice=replaced`,
    ])
    expect([await urlsOf(person, one.slug), await urlsOf(person, other.slug)]).toEqual([[NEW], [`${OLD}/2`]])
    const none = await person.form('/dashboard/replace', { from: OLD, to: NEW })
    expect(await none.text()).toContain('No bundle of yours has this link.')
  })

  test('what is wrong is said beside its field, and viewers are not offered it', async () => {
    const [admin, viewer] = [await newPerson(at()), await newPerson(at())]
    const wrong = await admin.form('/dashboard/replace', { from: OLD, to: 'new.example' })
    const html = await wrong.text()
    expect([wrong.status, html.includes('id="to-error"'), html.includes(`value="${OLD}"`)]).toEqual([400, true, true])
    const { id } = await newOrganization(admin, [[viewer, 'viewer']])
    await actFor(admin, id)
    await admin.makeBundle({ urls: [OLD] })
    await actFor(viewer, id)
    expect(await page(viewer, `/dashboard?q=${encodeURIComponent(OLD)}`)).not.toContain('/dashboard/replace')
    expect((await viewer.fetch('/dashboard/replace')).status).toBe(403)
    expect((await viewer.form('/dashboard/replace', { from: OLD, to: NEW, do: 'replace' })).status).toBe(403)
  })
})
