import { expect, test } from 'bun:test'
import { fieldsIn } from '../form.ts'
import { newPerson, URL_A, type Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newSlug, publish, storedBundle } from './support.ts'

onEveryTarget({}, (at) => {
  /** Sends a page's form like a browser without JavaScript, with some fields filled in and a button pressed. */
  const press = async (visitor: Visitor, path: string, filled: Record<string, string>) => {
    const fields = fieldsIn(await (await visitor.fetch(path)).text()).filter(([name]) => !(name in filled))
    return visitor.form(path, { ...Object.fromEntries(fields), ...filled })
  }
  const newest = async () => {
    const [row] = await at().sql('SELECT slug FROM bundles ORDER BY id DESC LIMIT 1')
    return (await storedBundle(at(), String(row?.slug))).source
  }

  test('bundles made on the home page or in the dashboard have the source web', async () => {
    await publish(at(), { urls: URL_A })
    expect(await newest()).toBe('web')
    const person = await newPerson(at())
    const home = await person.publish({ urls: URL_A })
    expect([home.status, await newest()]).toEqual([303, 'web'])
    const made = await press(person, '/dashboard/links/new', { urls: URL_A, url: URL_A, title: 'of the form' })
    expect(made.status).toBe(303)
    const slug = /links\/([\w-]+)/.exec(made.headers.get('location') ?? '')?.[1] ?? ''
    const { source, title } = await storedBundle(at(), slug)
    expect([source, title]).toEqual(['web', 'of the form'])
    const copy = await press(person, `/dashboard/links/new?from=${slug}`, { title: 'a copy' })
    expect([copy.status, await newest()]).toEqual([303, 'web'])
  })

  test('the default source of the API is api', async () => {
    expect((await storedBundle(at(), await newSlug(at()))).source).toBe('api')
  })
})
