import { expect, setDefaultTimeout, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { elementsOf } from './html.ts'

// The timeout that `targets.ts` sets applies only to the first file that loads it.
setDefaultTimeout(180_000)

const SETTINGS = '/dashboard/settings'

onEveryTarget({}, (at) => {
  /** The fields of the form with the one Save: names and values as a browser without a script sends them. */
  const fieldsOf = async (html: string): Promise<string[][]> => {
    const elements = elementsOf(html)
    const from = elements.findIndex(({ attributes }) => attributes.class === 'panels')
    const rest = elements.slice(from)
    const to = rest.findIndex(({ tag, attributes }) => tag === 'button' && attributes.type === 'submit')
    return rest
      .slice(0, to)
      .filter(({ tag, attributes }) => tag === 'input' && (attributes.type !== 'checkbox' || 'checked' in attributes))
      .map(({ attributes }) => [attributes.name ?? '', attributes.value ?? ''])
  }
  const pageOf = async (person: Person, path = SETTINGS) => (await person.fetch(path)).text()
  const send = (person: Person, path: string, fields: string[][]) =>
    person.fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const all = (name: string, rest: string[][]) => [
    ['change', 'name'],
    ['name', name],
    ['change', 'mails'],
    ['change', 'checks'],
    ...rest,
  ]
  const byName = (fields: string[][]) => fields.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))

  test('one Save stores all sections, and a refused name none of them, with what was chosen still there', async () => {
    const ann = await newPerson(at())
    expect((await pageOf(ann)).match(/>\s*Save\s*</g)).toHaveLength(1)
    const saved = await send(ann, SETTINGS, all('Ann', [['decided', 'yes']]))
    expect(saved.headers.get('location')).toBe(`${SETTINGS}?notice=settingsSaved`)
    const kept = byName(all('Ann', [['decided', 'yes']]))
    expect(byName(await fieldsOf(await pageOf(ann)))).toEqual(kept)

    const wrong = all('x'.repeat(101), [
      ['proposed', 'yes'],
      ['checkLinks', 'yes'],
    ])
    const refused = await send(ann, SETTINGS, wrong)
    expect(refused.status).toBe(400)
    const html = await refused.text()
    expect(html).toContain('id="name-error"')
    expect(byName(await fieldsOf(html))).toEqual(byName(wrong))
    expect(byName(await fieldsOf(await pageOf(ann)))).toEqual(kept)
  })

  test('a section sent alone leaves the others as they are; an action is no section', async () => {
    const ann = await newPerson(at())
    await send(ann, SETTINGS, all('Ann', [['keyEnds', 'yes']]))
    await ann.form(SETTINGS, { change: 'checks', checkLinks: 'yes' })
    const kept = all('Ann', [
      ['keyEnds', 'yes'],
      ['checkLinks', 'yes'],
    ])
    expect(byName(await fieldsOf(await pageOf(ann)))).toEqual(byName(kept))
    const mixed = await send(ann, SETTINGS, [
      ['change', 'name'],
      ['change', 'passwordMail'],
    ])
    expect(mixed.status).toBe(400)
  })

  test('keys and webhooks stand under Developers until there is one, for admins alone', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    await actFor(bob, id)
    const places = async (person: Person) => {
      const html = await pageOf(person)
      const [nav = '', main = ''] = [/<nav class="sections".*?<\/nav>/s, /<main.*<\/main>/s].map(
        (part) => part.exec(html)?.[0] ?? '',
      )
      return [nav, main].map((part) => /href="\/dashboard\/(keys|webhooks)"/.test(part))
    }
    expect([await places(ann), await places(bob)]).toEqual([
      [false, true],
      [false, false],
    ])
    const keys = await pageOf(ann, '/dashboard/keys')
    expect(keys).toMatch(/href="\/dashboard\/settings" aria-current="true"/)
    await ann.mint()
    expect([await places(ann), await places(bob)]).toEqual([
      [true, false],
      [false, false],
    ])
  })

  test('an organisation has one Save too, for admins alone', async () => {
    const [ann, bob] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(ann, [[bob, 'editor']])
    const path = `/dashboard/organizations/${id}`
    const fields = [
      ['change', 'look'],
      ['name', 'Acme'],
      ['handle', ''],
      ['color', ''],
      ['change', 'checks'],
    ]
    expect((await send(bob, path, fields)).status).toBe(403)
    expect((await send(ann, path, fields)).headers.get('location')).toBe(`${path}?notice=settingsSaved`)
    expect(await fieldsOf(await pageOf(ann, path))).toEqual(expect.arrayContaining(fields))
    const refused = await send(ann, path, [...fields.with(1, ['name', ' ']), ['checkLinks', 'yes']])
    expect([refused.status, await fieldsOf(await refused.text())]).toEqual([
      400,
      expect.arrayContaining([['checkLinks', 'yes']]),
    ])
    expect(await fieldsOf(await pageOf(ann, path))).toEqual(expect.arrayContaining(fields))
  })
})
