import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type InProcess, startInProcess } from '../in-process.ts'
import { newPerson, URL_A } from '../people.ts'
import { processorMs } from '../work.ts'

setDefaultTimeout(180_000)

/** Almost as many bytes as a body may have. */
const SIZE = 255 * 1024
/** Of processor time, for one body. */
const MAX_MS = 100

let server: InProcess
let authorization: string
beforeAll(async () => {
  server = await startInProcess()
  authorization = `Bearer ${(await (await newPerson(server)).mint()).rawKey}`
})
afterAll(async () => {
  await server?.stop()
})

/** As many of an entry as fit. */
function full(entry: unknown, most = Number.POSITIVE_INFINITY): unknown[] {
  return Array(Math.min(most, Math.floor(SIZE / (JSON.stringify(entry).length + 1)))).fill(entry)
}

/** As many fields as fit. */
function fields(value: unknown, most = Number.POSITIVE_INFINITY): Record<string, unknown> {
  return Object.fromEntries(full({ key12: value }, most).map((_, at) => [`k${at.toString(36)}`, value]))
}

const TAB = { url: URL_A }
const CONDITION = { op: 'equals', field: 'device', value: 'mobile' }
const rule = (when: unknown, at = 0, tabs: unknown = [TAB]) => ({ name: `rule ${at}`, when, tabs })
const withRules = (rules: unknown) => ({ urls: [URL_A], resolutionPolicy: { version: 1, rules } })
const listsOf = (entry: unknown, lists: number) =>
  Array(lists).fill({ op: 'in', field: 'os', values: Array(250).fill(entry) })

/** Bodies of POST /api/links that hold as much as they can of something. */
function* bodies(): Generator<[name: string, body: object]> {
  for (const entry of [1, '', {}, [], URL_A, { a: 1 }, [1, 1]]) {
    for (const most of [9_900, 29_900, undefined]) {
      const list = full(entry, most)
      const name = `${list.length} of ${JSON.stringify(entry)} as`
      yield [`${name} urls`, { urls: list }]
      yield [`${name} urlMetadata`, { urls: [URL_A], urlMetadata: list }]
      yield [`${name} tags`, { urls: [URL_A], urlMetadata: [{ tags: list }] }]
      yield [`${name} title`, { urls: [URL_A], title: list }]
      yield [`${name} an unknown field`, { urls: [URL_A], unknown: list }]
      yield [`${name} resolutionPolicy`, { urls: [URL_A], resolutionPolicy: list }]
      yield [`${name} rules`, withRules(list)]
      yield [`${name} tabs`, withRules([rule(CONDITION, 0, list)])]
      yield [`${name} conditions`, withRules([rule({ op: 'and', of: list })])]
      yield [`${name} values`, withRules([rule({ op: 'in', field: 'os', values: list })])]
    }
    const each = full(entry).slice(0, full(entry).length / 60)
    yield [
      `${JSON.stringify(entry)} as conditions of 50 rules`,
      withRules(Array.from({ length: 50 }, (_, at) => rule({ op: 'or', of: each }, at))),
    ]
  }
  for (const most of [9_900, undefined]) {
    const many = fields(1, most)
    const name = `${Object.keys(many).length} fields of`
    yield [`${name} the body`, { urls: [URL_A], ...many }]
    yield [`${name} urlMetadata`, { urls: [URL_A], urlMetadata: [many] }]
    yield [`${name} the policy`, { urls: [URL_A], resolutionPolicy: { version: 1, rules: [], ...many } }]
    yield [`${name} a rule`, withRules([{ ...rule(CONDITION), ...many }])]
    yield [`${name} a tab`, withRules([rule(CONDITION, 0, [{ ...TAB, ...many }])])]
    yield [`${name} a condition`, withRules([rule({ ...CONDITION, ...many })])]
  }
  yield ['the longest lists in a policy', withRules([rule({ op: 'and', of: listsOf('', 118) })])]
  yield ['the same, wrong', withRules([rule({ op: 'and', of: listsOf(1, 118) })])]
  yield ['wrong tabs', withRules(Array.from({ length: 50 }, (_, at) => rule(CONDITION, at, Array(20).fill({}))))]
  const nested = Array.from({ length: 55 }).reduce<unknown>((inner) => [inner], 1)
  yield ['deep lists', { urls: full(nested) }]
  yield ['deep lists as rules', withRules(full(nested))]
}

/** What a request costs; if not below the limit, the least of several, because of compilation and garbage. */
async function costOf(path: string, body: unknown, headers: Record<string, string>): Promise<number> {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 12 && least > MAX_MS; round += 1) {
    least = Math.min(least, await processorMs(async () => (await server.ask(path, init)).text()))
  }
  return least
}

test('no JSON body of the largest size costs much, whatever it is made of', async () => {
  const costly: unknown[] = []
  const measure = async (name: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const cost = await costOf(path, body, headers)
    if (cost > MAX_MS) costly.push([path, name, cost])
  }
  const agent = { authorization, accept: 'application/json, text/event-stream' }
  for (const [name, body] of bodies()) {
    await measure(name, '/api/links', body, { authorization })
    await measure(name, '/api/links/none-such/events', body)
    const params = { name: 'create_bundle', arguments: body }
    await measure(name, '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, agent)
  }
  for (const entry of [1, '', {}, []]) {
    const list = full(entry)
    const clientInfo = { name: 'x', version: '1', icons: list }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    await measure('icons', '/api/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, agent)
    await measure('batch', '/api/mcp', list, agent)
    for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email', '/api/auth/sign-in/magic-link']) {
      await measure('list', path, list)
      await measure('email', path, { email: list, password: list })
    }
    await measure('redirects', '/oauth/register', { redirect_uris: list })
  }
  expect(costly).toEqual([])
})
