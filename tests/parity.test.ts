import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startOn } from './targets.ts'
import '../src/core/schemas.ts'
import { operations } from '../src/api/implementations.ts'
import { isTool } from '../src/mcp/tools.ts'
import { CASES, type Case } from './parity/cases.ts'
import { cli, SERVED, sdk, type Transport } from './parity/transports.ts'
import { newWorld, type World } from './parity/world.ts'
import { newPerson } from './people.ts'
import { IS_WHOLE_MATRIX, RUNTIMES, type Server, STORES, type Target } from './server.ts'

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

/** Whether a case is its operation's first that succeeds, or that is refused, or sends a condition. */
const isFirst = (testCase: Case) =>
  testCase.idempotencyKey !== undefined ||
  testCase.expectedVersion !== undefined ||
  testCase ===
    CASES.find(
      ({ operation, refused }) =>
        operation === testCase.operation && (refused === undefined) === (testCase.refused === undefined),
    )

/**
 * Every operation through every transport on Bun. Elsewhere the clients would be the same, so there are those that the
 * server speaks on Deno, and one over a libSQL server, where only queries differ. The command is a process for each call,
 * and calls any operation by its name, so it gets one case of each kind.
 */
const PLACES: { target: Target; transportsOf(testCase: Case): readonly Transport[] }[] = [
  ...RUNTIMES.map((runtime) => ({
    target: { name: `${runtime} over a file`, runtime, store: 'file' as const },
    transportsOf: (testCase: Case) =>
      runtime === 'bun' || IS_WHOLE_MATRIX ? [...SERVED, sdk, ...(isFirst(testCase) ? [cli] : [])] : SERVED,
  })),
  ...STORES.filter((store) => store !== 'file').map((store) => ({
    target: { name: `bun over ${store}`, runtime: 'bun' as const, store },
    transportsOf: () => SERVED.slice(0, 1),
  })),
]

describe.each(PLACES)('on $target.name', ({ target, transportsOf }) => {
  let server: Server
  let foreign: string
  /** For all calls that change nothing. */
  let unchanged: World
  beforeAll(async () => {
    server = await startOn(target, { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
    foreign = (await (await newPerson(server)).makeBundle()).slug
    unchanged = await newWorld(server, foreign)
  })
  afterAll(async () => {
    await server.stop()
  })

  test.each(CASES.map((testCase) => [testCase.operation, testCase.title, testCase] as const))(
    '%s gives the same answer through every transport: %s',
    async (name, _, testCase) => {
      const operation = called.find((known) => known.name === name)!
      const changesNothing = operation.route.startsWith('GET ') || testCase.refused !== undefined
      const transports = transportsOf(testCase)
      const outcomes = await Promise.all(
        transports.map(async (transport) => {
          const world = changesNothing ? unchanged : await newWorld(server, foreign)
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
