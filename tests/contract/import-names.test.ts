import { beforeAll, expect, test } from 'bun:test'
import { fieldsOf } from '../form.ts'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

// Names in braces, and `%s`, in the links of an import.

const PATH = '/dashboard/links/import'
const TEXT = `## Incident
- [Grafana](https://grafana.example/d/{service})
- [Logs](https://logs.example/?q={service}&r={region})
## Search
- [Google %s](https://www.google.example/search?q=%s)`

onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const send = async (fields: readonly [string, string][]) => {
    const body = new FormData()
    for (const [name, value] of fields) body.append(name, value)
    return (await person.fetch(PATH, { method: 'POST', body })).text()
  }
  const preview = (text: string) =>
    send([
      ['text', text],
      ['do', 'read'],
    ])
  const saysIn = (html: string) =>
    [...html.matchAll(/<code>([^<]*)<\/code>([^<]*)/g)].map(([, name, says]) => `${name}${says}`)
  const make = async (html: string, chosen: [string, string][] = []) => {
    const made = await send([...fieldsOf(html, 'import'), ...chosen, ['do', 'make']])
    const slugs = [...made.matchAll(/href="\/dashboard\/links\/([a-z0-9]{10})"/g)].map(([, slug]) => slug)
    const bundles = slugs.map(async (slug) => (await person.api('GET', `/api/links/${slug}`)).body)
    return Promise.all(bundles)
  }

  test('each is explained at the first link that has it', async () => {
    const html = await preview(TEXT)
    expect(saysIn(html)).toEqual([
      '{service} is filled in by whoever opens it.',
      '{region} is filled in by whoever opens it.',
      '%s can be filled in by whoever opens it.',
    ])
    expect(html).toContain('>grafana.example/d/{service}<')
    expect(html).not.toContain('Holds %s')
    expect(await make(html)).toMatchObject([
      { variables: [{ name: 'service' }, { name: 'region' }] },
      { urls: ['https://www.google.example/search?q=%s'], variables: [] },
    ])
  })

  test('a name stays text, and %s becomes a variable, if that is ticked', async () => {
    const html = await preview(TEXT)
    expect(html).toContain('name="plain" value="0.service"')
    const made = await make(html, [
      ['plain', '0.service'],
      ['filled', '1.%s'],
    ])
    expect(made).toMatchObject([
      { urls: ['https://grafana.example/d/{service}', expect.anything()], variables: [{ name: 'region' }] },
      {
        urls: ['https://www.google.example/search?q={query}'],
        urlMetadata: [{ note: 'Google {query}' }],
        variables: [{ name: 'query' }],
      },
    ])
  })

  test('what a file says of its variables counts', async () => {
    const bundles = [{ urls: ['https://grafana.example/d/{service}?q=%s'], variables: [] }]
    const html = await preview(JSON.stringify({ bundles }))
    expect(saysIn(html)).toEqual([])
    expect(await make(html)).toMatchObject([{ variables: [] }])
  })
})
