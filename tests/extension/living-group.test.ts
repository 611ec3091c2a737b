import { afterEach, expect, spyOn, test } from 'bun:test'
import { keepGroup } from '../../extension/parts/groups.ts'
import { keepInstance } from '../../extension/parts/instances.ts'
import { stateOf } from '../../extension/parts/living-group.ts'
import { fakeChrome, leaveNoChrome } from './fake-chrome.ts'

// What is new in a bundle is told by its instance, which anybody may have set up. In a real browser: browser/extension-keep.test.ts.

leaveNoChrome()
const origin = 'https://hostile.example'
const fetched = spyOn(globalThis, 'fetch')
afterEach(() => void fetched.mockRestore())

test('an instance names no new link that does not open, and no more than an opening has', async () => {
  fakeChrome()
  Object.assign(chrome, {
    tabs: { query: async () => [] },
    tabGroups: { get: async (id: number) => ({ id, shared: false }) },
  })
  await keepInstance({ origin, name: 'Hostile', account: null, opensAtOnce: false })
  await keepGroup(7, { origin, slug: 'day', page: `${origin}/l/day`, urls: [], tabs: [] })
  const links = ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'https://fine.example/', 1, null]
  const many = Array.from({ length: 5000 }, (_, at) => `https://${at}.example/`)
  const tabs = [...links, ...many].map((url) => ({ url, openPolicy: 'auto' }))
  fetched.mockResolvedValue(Response.json({ title: 'Day', tabs }))
  const { fresh } = (await stateOf(7)) ?? { fresh: [] }
  expect(fresh).toEqual(['https://fine.example/', ...many.slice(0, 99)])
})
