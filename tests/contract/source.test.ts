import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { arrive, URL_A, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newSlug, storedBundle, submit } from './support.ts'

onEveryTarget({}, (at) => {
  /** Sends the form of a page with some fields filled in and a button pressed, as a browser without JavaScript does. */
  const press = async (visitor: Visitor, path: string, filled: Record<string, string>) => {
    const fields = fieldsIn(await (await visitor.fetch(path)).text()).filter(([name]) => !(name in filled))
    return visitor.form(path, { ...Object.fromEntries(fields), ...filled })
  }
  const newest = async () => {
    const [row] = await at().sql('SELECT slug FROM bundles ORDER BY id DESC LIMIT 1')
    return (await storedBundle(at(), String(row?.slug))).source
  }

  test('a bundle that a page makes comes from the web: of the home page, and of the dashboard’s form', async () => {
    await submit(at(), { urls: URL_A })
    expect(await newest()).toBe('web')
    const person = await arrive(at())
    const home = await person.form('/', { urls: URL_A })
    expect([home.status, await newest()]).toEqual([303, 'web'])
    const made = await press(person, '/dashboard/links/new', { url: URL_A, title: 'of the form' })
    expect(made.status).toBe(303)
    const slug = /links\/([\w-]+)/.exec(made.headers.get('location') ?? '')?.[1] ?? ''
    const { source, title } = await storedBundle(at(), slug)
    expect([source, title]).toEqual(['web', 'of the form'])
    const copy = await press(person, `/dashboard/links/new?from=${slug}`, { title: 'a copy' })
    expect([copy.status, await newest()]).toEqual([303, 'web'])
  })

  test('without a word a bundle of the API comes from the API', async () => {
    expect((await storedBundle(at(), await newSlug(at()))).source).toBe('api')
  })
})
