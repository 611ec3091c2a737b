import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startOn } from './targets.ts'
import '../src/core/schemas.ts'
import { operations } from '../src/api/implementations.ts'
import { isTool } from '../src/mcp/tools.ts'
import { CASES } from './parity/cases.ts'
import { TRANSPORTS, type Transport } from './parity/transports.ts'
import { newWorld } from './parity/world.ts'
import { newPerson } from './people.ts'
import { RUNTIMES, type Server, STORES, type Target } from './server.ts'

setDefaultTimeout(180_000)

const called = operations.filter(isTool)

/** It takes no input and ignores unknown fields, so nothing but the credential can be refused. */
const NEVER_REFUSED = ['who_am_i']

test('every operation for credentials has a case that succeeds and one that is refused', () => {
  for (const { name } of called) {
    const cases = CASES.filter(({ operation }) => operation === name)
    expect([name, cases.some(({ refused }) => refused === undefined)]).toEqual([name, true])
    const isRefusable = !NEVER_REFUSED.includes(name)
    expect([name, cases.some(({ refused }) => refused !== undefined)]).toEqual([name, isRefusable])
  }
  const known = called.map(({ name }) => name)
  expect(CASES.filter(({ operation }) => !known.includes(operation))).toEqual([])
})

/** Every operation through every transport on each runtime; over a libSQL server, where only queries differ, through one. */
const PLACES: { target: Target; transports: readonly Transport[] }[] = [
  ...RUNTIMES.map((runtime) => ({
    target: { name: `${runtime} over a file`, runtime, store: 'file' as const },
    transports: TRANSPORTS,
  })),
  ...STORES.filter((store) => store !== 'file').map((store) => ({
    target: { name: `bun over ${store}`, runtime: 'bun' as const, store },
    transports: TRANSPORTS.slice(0, 1),
  })),
]

describe.each(PLACES)('on $target.name', ({ target, transports }) => {
  let server: Server
  let foreign: string
  beforeAll(async () => {
    server = await startOn(target, { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
    foreign = (await (await newPerson(server)).makeBundle()).slug
  })
  afterAll(async () => {
    await server.stop()
  })

  test.each(CASES.map((testCase) => [testCase.operation, testCase.title, testCase] as const))(
    '%s gives the same answer through every transport: %s',
    async (name, _, testCase) => {
      const operation = called.find((known) => known.name === name)!
      // Calls that change nothing can share one world.
      const isReadOnly = operation.route.startsWith('GET ') || testCase.refused !== undefined
      const shared = isReadOnly ? await newWorld(server, foreign) : undefined
      const outcomes = await Promise.all(
        transports.map(async (transport) => {
          const world = shared ?? (await newWorld(server, foreign))
          return normalized(await transport.call(operation, testCase.input(world), testCase, world))
        }),
      )
      const [first] = outcomes
      if (testCase.refused === undefined) expect(first).toHaveProperty('body')
      else expect(first).toHaveProperty('refused.code', testCase.refused)
      for (const [index, outcome] of outcomes.entries()) {
        expect([transports[index]!.name, outcome]).toEqual([transports[index]!.name, first])
      }
    },
  )
})

/** Fields whose values differ between worlds or calls. */
const VARYING =
  /^(slug|url|id|ruleId|matchedRuleId|userId|editedByIdentityUserId|createdBy|proposedBy|decidedBy|keyPrefix|rawKey|secret|messageId|webhookId|keyId|nextCursor|requestId|docUrl|\w+At|from|to)$/

/** An outcome with a placeholder for each varying value. */
function normalized(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome, (key, value) => {
      // Names the client that called, which must differ.
      if (key === 'metadata') return `<${key}>`
      // Of people, who have no other name.
      if (key === 'name' && /@people\.example$/.test(value)) return `<${key}>`
      const isVarying = VARYING.test(key) && (typeof value === 'string' || typeof value === 'number')
      return isVarying && !String(value).startsWith('https:') && !/^\d\d:\d\d$/.test(String(value)) ? `<${key}>` : value
    }),
  )
}
