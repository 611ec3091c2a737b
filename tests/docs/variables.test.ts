import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'
import { exampleOf } from '../../src/bundles/variables/variables.ts'
import { isDated } from '../../src/core/dates.js'
import type { LauncherTabs } from '../../src/launcher/answers.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import type { Server } from '../server.ts'
import { blocksOf, pageOf } from './run.ts'

const PAGE = pageOf('variables.md')
/** The recipes of the page, by their heading. */
const recipes = PAGE.split(/^### /m)
  .slice(1)
  .filter((text) => text.includes('```json'))
  .map((text) => [text.split('\n', 1)[0] ?? '', text] as const)

let server: Server
let person: Person
beforeAll(async () => {
  server = await startInProcess()
  person = await newPerson(server)
})
afterAll(() => server.stop())

async function read(address: string): Promise<LauncherTabs> {
  const answer = await fetch(server.origin + address, { headers: { accept: 'application/json' } })
  expect([address, answer.status]).toEqual([address, 200])
  return (await answer.json()) as LauncherTabs
}

/** The address of a launcher filled with what its variables have as examples. */
function exampleAddress({ slug, variables = [] }: NewBundle): string {
  const values = variables.filter(({ default: value }) => value === undefined)
  return `/l/${slug}?${new URLSearchParams(values.map((one) => [one.name, exampleOf(one) ?? '']))}`
}

test('there are nine recipes', () => expect(recipes).toHaveLength(9))

test.each(recipes)('the recipe “%s” opens what it says', async (_, recipe) => {
  const bundle = JSON.parse(blocksOf(recipe, 'json')[0] ?? '') as NewBundle
  const [, address = '', title = ''] = /^`(\/l\/.+)` is \*\*(.+)\*\* and opens:$/m.exec(recipe) ?? []
  const links = (blocksOf(recipe, 'text')[0] ?? '').trimEnd().split('\n')
  await person.makeBundle(bundle)
  const filled = await read(address)
  expect([filled.title, filled.missing, filled.invalid]).toEqual([title, [], []])
  expect(filled.tabs.map(({ url }) => url)).toEqual(links)
  // What its form suggests leads to the same, unless the address says otherwise.
  const isOfToday = bundle.variables?.some(isDated) ?? false
  if (!address.includes('region=') && !isOfToday) expect((await read(exampleAddress(bundle))).tabs).toEqual(filled.tabs)
})

test('what monitoring puts into alerts fills the launcher on call', async () => {
  const [, recipe = ''] = recipes.find(([name]) => name === 'On call') ?? []
  const templates = Array.from(recipe.matchAll(/https:\/\/go\.example\.com(\/l\/\S+?=)(?:\{\{.*?\}\}|\$\{.*?\})/g))
  expect(templates).toHaveLength(3)
  for (const [, address] of templates) {
    const { values, missing } = await read(`${address}pay%2Fout`)
    expect([address, values, missing]).toEqual([address, { service: 'pay/out', region: 'eu' }, []])
  }
})
