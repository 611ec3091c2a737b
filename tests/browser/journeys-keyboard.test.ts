import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { type At, signedIn } from './journey.ts'

// Somebody who has no mouse and hears the page: everything is done by keys, found by the names that the browser's own
// accessibility tree has, and after each step the focus is on something and a live region has said what happened.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

let server: Server
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

describe.each(kindsOfWay('Firefox'))('$name', (kind) => {
  let at: At
  let owner: Person
  let leave: () => Promise<void>
  beforeAll(async () => {
    ;({ at, owner, leave } = await signedIn(kind, server, 'keyboard'))
  })
  afterEach(() => at.expectQuiet())
  afterAll(() => leave?.())

  const press = async (name: string | RegExp) => {
    await at.reach(name)
    await at.viewer.press('Enter')
  }
  interface Saved {
    title: string
    urls: string[]
    urlMetadata: { note?: string }[]
    resolutionPolicy: object | null
  }
  const saved = async (slug: string) => (await owner.api<Saved>('GET', `/api/links/${slug}`)).body
  const newest = async () => {
    const { body } = await owner.api<{ bundles: (Saved & { slug: string })[] }>('GET', '/api/me/links?limit=1')
    return body.bundles[0]
  }

  test('a bundle is made', async () => {
    await at.open('/dashboard')
    await press('New bundle')
    await at.has('#urls')
    expect(await at.holdsFocus()).toStartWith('Paste')
    await at.viewer.type('https://one.example/ and https://two.example/')
    await at.hears('2 links found')
    await at.reach('Title')
    await at.viewer.type('By keys')
    await press('Get the link')
    await at.sees('Bundle created.')
    await becomes(
      newest,
      expect.objectContaining({ title: 'By keys', urls: ['https://one.example/', 'https://two.example/'] }),
    )
  })

  test('a link is named and moved', async () => {
    const { slug } = await owner.makeBundle({
      title: 'To move',
      urls: ['https://one.example/', 'https://two.example/'],
    })
    await at.open(`/dashboard/links/${slug}`)
    await at.has('#title')
    await press(/two\.example/)
    await at.reach('Title')
    await at.viewer.type('The second')
    await press('Move up')
    await at.hears('moved to 1 of 2')
    expect(await at.holdsFocus()).toBe('Move up')
    await press('Save')
    await at.hears('Saved')
    expect(await at.holdsFocus()).toBe('Save')
    expect(await saved(slug)).toMatchObject({
      urls: ['https://two.example/', 'https://one.example/'],
      urlMetadata: [{ note: 'The second' }, {}],
    })
  })

  test('Tab goes round the editor and its preview', async () => {
    const { slug } = await owner.makeBundle({ title: 'To go round' })
    await at.open(`/dashboard/links/${slug}`)
    await at.has('#title')
    await at.reach('Discard')
    await at.reach('Skip to the content')
  })

  test('a rule is written, tried and saved', async () => {
    const { slug } = await owner.makeBundle({ title: 'To rule' })
    await at.open(`/dashboard/links/${slug}`)
    await press('Rules')
    await at.has('#add')
    await press('Add a rule')
    await at.has('#rules-0-name')
    await becomes(() => at.holdsFocus(), expect.stringMatching(/^Name/))
    await at.viewer.type('On the move')
    await at.reach('What to check')
    await at.viewer.type('D')
    await at.has('#rules-0-when-value')
    await at.reach('Value')
    await at.viewer.type('P')
    await at.reach('Tab')
    await at.viewer.press('Enter')
    await at.has('#rules-0-tabs-0-url')
    await becomes(() => at.holdsFocus(), expect.stringMatching(/^Link/))
    await at.viewer.type('https://m.example/')
    await at.reach('Custom')
    await at.viewer.press('Enter')
    await at.reach('Device')
    await at.viewer.type('P')
    await at.sees('Rule 1: On the move')
    await at.holdsFocus()
    await at.reach('Save rules', 'Shift+Tab')
    await at.viewer.press('Enter')
    await at.hears('Saved')
    await at.holdsFocus()
    expect((await saved(slug)).resolutionPolicy).toMatchObject({
      rules: [{ name: 'On the move', when: { op: 'equals', field: 'device', value: 'mobile' } }],
    })
  })

  test('a conflict is met, and decided', async () => {
    const { slug } = await owner.makeBundle({ title: 'Before' })
    await at.open(`/dashboard/links/${slug}`)
    await at.has('#title')
    await at.reach('Title')
    await at.viewer.type(' mine')
    await owner.api('PATCH', `/api/links/${slug}`, { title: 'Theirs' })
    await press('Save')
    await at.sees('Save mine anyway')
    await at.hears('Theirs')
    await at.holdsFocus()
    await press('Save mine anyway')
    await at.hears('Saved')
    expect(await at.holdsFocus()).toBe('Save')
    expect((await saved(slug)).title).toContain('mine')
  })

  test('a bundle is deleted, and that undone', async () => {
    const { slug } = await owner.makeBundle({ title: 'To delete' })
    await at.open('/dashboard')
    await press('More for To delete')
    await press('Delete')
    await at.hears('deleted')
    await at.holdsFocus()
    expect((await owner.api('GET', `/api/links/${slug}`)).status).toBe(404)
    await press('Undo')
    await at.hears('restored')
    await at.holdsFocus()
    expect((await saved(slug)).title).toBe('To delete')
  })
})
