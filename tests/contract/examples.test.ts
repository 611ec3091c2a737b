import { expect, test } from 'bun:test'
import { EXAMPLES } from '../../src/bundles/content/examples.ts'
import { actFor, addMember, type BundleBody, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const OFFER = 'Or start with an example'

onEveryTarget({}, (at) => {
  const dashboard = async (person: Person) => (await person.fetch('/dashboard')).text()
  const take = (person: Person, example: string, idempotencyKey: string = crypto.randomUUID()) =>
    person.form('/dashboard/links/examples', { example, idempotencyKey })
  const bundles = async (person: Person) =>
    (await person.api<{ bundles: BundleBody[] }>('GET', '/api/me/links')).body.bundles

  test.each(Object.entries(EXAMPLES))('the example %s is offered, and one press copies it', async (name, example) => {
    const ann = await newPerson(at())
    const html = await dashboard(ann)
    expect(html).toContain(OFFER)
    expect(html).toContain(`value="${name}"`)
    const taken = await take(ann, name)
    const [bundle] = await bundles(ann)
    expect([taken.status, taken.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(`/dashboard/links/${bundle?.slug}?`),
    ])
    expect(bundle).toMatchObject(example)
    expect(await dashboard(ann)).not.toContain(OFFER)
  })

  test('an example pressed twice makes one bundle', async () => {
    const ann = await newPerson(at())
    const key = crypto.randomUUID()
    const [first, second] = [await take(ann, 'reading', key), await take(ann, 'reading', key)]
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(await bundles(ann)).toHaveLength(1)
  })

  test('an unknown example is refused, and so are people who may not make bundles', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    for (const name of ['', 'constructor', 'Reading']) expect((await take(ann, name)).status).toBe(404)
    const { id } = await newOrganization(ann)
    await addMember(ann, id, bob, 'viewer')
    await actFor(bob, id)
    expect(await dashboard(bob)).not.toContain(OFFER)
    expect((await take(bob, 'reading')).status).toBe(403)
    expect(await bundles(ann)).toEqual([])
  })
})
