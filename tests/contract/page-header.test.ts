import { expect, test } from 'bun:test'
import { newPerson, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({}, (server) => {
  /** The links in the page header, besides home. */
  const whereTo = async (visitor: Visitor, path: string) => {
    const html = await (await visitor.fetch(path)).text()
    const [, nav = ''] = /<nav class="who" aria-label="Account">(.*?)<\/nav>/s.exec(html) ?? []
    return [...nav.matchAll(/href="([^"]+)"/g)].map(([, to]) => to)
  }
  const resultOf = async (visitor: Visitor) => {
    const form = { urls: 'https://a.example', idempotencyKey: crypto.randomUUID() }
    return (await visitor.publish(form)).headers.get('location') ?? ''
  }

  test('every page offers signed-out people to sign in, and no dashboard', async () => {
    const visitor = new Visitor(server())
    for (const path of ['/', '/nothing-here', '/l/nothing-here', '/privacy', await resultOf(visitor)])
      expect(await whereTo(visitor, path), path).toEqual(['/sign-in'])
    expect(await whereTo(visitor, '/sign-in')).toEqual([])
    // The pages about signing in lead to one another.
    expect(await (await visitor.fetch('/sign-up')).text()).toContain('href="/sign-in?next=')
  })

  test('the same pages lead signed-in people to the dashboard', async () => {
    const person = await newPerson(server())
    for (const path of ['/', '/nothing-here', '/l/nothing-here', '/privacy', await resultOf(person)])
      expect(await whereTo(person, path), path).toEqual(['/dashboard'])
  })
})
