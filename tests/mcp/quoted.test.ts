import { beforeAll, expect, test } from 'bun:test'
import { newPerson, type Person, URL_A, URL_B } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { callOf, send } from './support.ts'

// What models get wrong in the arguments of tools: lists, objects and numbers as texts, and fields by other names.

onEveryTarget({}, (at) => {
  let key: string
  let person: Person
  beforeAll(async () => {
    person = await newPerson(at())
    key = (await person.mint({ scopes: ['links:write'], rateLimitPerHour: 0 })).rawKey
  })
  const call = async (name: string, args: Record<string, unknown>) => {
    const { body } = await send(at(), callOf(name, args), { authorization: `Bearer ${key}` })
    return body.result
  }
  const made = async (args: Record<string, unknown>) => {
    const { structuredContent } = await call('create_bundle', args)
    expect(structuredContent).toHaveProperty('slug')
    const { body } = await person.api<Record<string, unknown>>('GET', `/api/links/${String(structuredContent.slug)}`)
    return body
  }

  test('a list, an object, a number and a yes or no that are texts are read as what they are', async () => {
    const rules = [{ name: 'a', when: { op: 'signedIn' }, tabs: JSON.stringify([{ url: URL_B }]) }]
    const bundle = await made({
      urls: JSON.stringify([URL_A, URL_B]),
      urlMetadata: ['{"note":"first","tags":"[\\"x\\"]"}', {}],
      copyable: 'true',
      resolutionPolicy: JSON.stringify({ version: '1', rules }),
      metadata: '{"n":"7"}',
    })
    expect(bundle).toMatchObject({
      urls: [URL_A, URL_B],
      urlMetadata: [{ note: 'first', tags: ['x'] }, {}],
      copyable: true,
      resolutionPolicy: { rules: [{ tabs: [{ url: URL_B }] }] },
      metadata: { n: '7' },
    })
    expect((await call('list_bundles', { limit: '1' })).structuredContent.bundles).toHaveLength(1)
    const dry = await call('update_bundle', { slug: bundle.slug, title: 'x', dryRun: 'true', expectedVersion: '1' })
    expect(dry.structuredContent).toMatchObject({ dryRun: true, bundle: { title: 'x' } })
    const cleared = await call('update_bundle', { slug: bundle.slug, resolutionPolicy: 'null' })
    expect(cleared.structuredContent).toMatchObject({ resolutionPolicy: null })
  })

  test('a text stays a text where one belongs', async () => {
    const bundle = await made({ urls: [URL_A], title: '[1]', description: 'null', urlMetadata: [{ note: '{"a":1}' }] })
    expect(bundle).toMatchObject({ title: '[1]', description: 'null', urlMetadata: [{ note: '{"a":1}' }] })
  })

  test('what is no JSON, or JSON of another type, is refused as it is without quotes', async () => {
    for (const urls of [URL_A, '[', '{"a":1}', '"x"', `${'['.repeat(100)}${']'.repeat(100)}`, '[7]']) {
      const { isError, structuredContent } = await call('create_bundle', { urls })
      expect([urls, isError, structuredContent.code]).toEqual([urls, true, 'INVALID_URLS'])
    }
    const { structuredContent } = await call('list_bundles', { limit: '1.5' })
    expect(structuredContent.code).toBe('BAD_REQUEST')
  })

  test('many texts, and one with too much in it, are refused and not read for long', async () => {
    const texts = Array.from({ length: 20_000 }, () => '{"a":')
    const entries = JSON.stringify(Array.from({ length: 100_000 }, () => 1))
    for (const args of [
      { urls: [URL_A], urlMetadata: texts },
      { urls: entries },
      { urls: [URL_A], urlMetadata: entries },
    ]) {
      expect((await call('create_bundle', args)).isError).toBe(true)
    }
  })

  test('a field by another word is named by the right one', async () => {
    const { structuredContent } = await call('create_bundle', { links: [URL_A] })
    expect(structuredContent.error).toContain('did you mean urls instead of links?')
  })

  test('another’s link is read by get_tabs, get_bundle says so, and its https address is a resource', async () => {
    const other = await newPerson(at())
    const { slug, url } = await other.makeBundle({ title: 'Handed over' })
    const refused = await call('get_bundle', { slug: url })
    expect([refused.isError, refused.structuredContent.code]).toEqual([true, 'FORBIDDEN'])
    expect(refused.structuredContent.error).toContain('get_tabs')
    expect((await call('get_tabs', { slug: url })).structuredContent).toMatchObject({ slug, title: 'Handed over' })
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: url } }
    const { body } = await send(at(), read, { authorization: `Bearer ${key}` })
    expect(JSON.stringify(body.result)).toContain('Handed over')
  })
})
