import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startOn } from './targets.ts'
import '../src/core/schemas.ts'
import { operations } from '../src/implementations.ts'
import { isTool } from '../src/mcp/tools.ts'
import { CASES } from './parity/cases.ts'
import { WAYS } from './parity/ways.ts'
import { newWorld } from './parity/world.ts'
import { arrive } from './people.ts'
import { RUNTIMES, type Server } from './server.ts'

setDefaultTimeout(60_000)

const called = operations.filter(isTool)

/** It takes nothing, and passes over what it does not know: there is nothing to refuse but the credential. */
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

describe.each(RUNTIMES)('on %s', (runtime) => {
  let server: Server
  let foreign: string
  beforeAll(async () => {
    server = await startOn({ name: runtime, runtime, store: 'file' })
    foreign = (await (await arrive(server)).makeBundle()).slug
  })
  afterAll(async () => {
    await server.stop()
  })

  test.each(CASES.map((aCase) => [aCase.operation, aCase.says, aCase] as const))(
    '%s is told the same whichever way it is called: %s',
    async (name, _, aCase) => {
      const operation = called.find((known) => known.name === name)!
      // What changes nothing finds for each way what it found for the last: one world does.
      const isUnchanging = operation.route.startsWith('GET ') || aCase.refused !== undefined
      const shared = isUnchanging ? await newWorld(server, foreign) : undefined
      const outcomes = await Promise.all(
        WAYS.map(async (way) => {
          const world = shared ?? (await newWorld(server, foreign))
          return alike(await way.call(operation, aCase.input(world), aCase, world))
        }),
      )
      const [first] = outcomes
      if (aCase.refused === undefined) expect(first).toHaveProperty('body')
      else expect(first).toHaveProperty('refused.code', aCase.refused)
      for (const [index, outcome] of outcomes.entries()) {
        expect([WAYS[index]!.name, outcome]).toEqual([WAYS[index]!.name, first])
      }
    },
  )
})

/** What differs from world to world, and from moment to moment. */
const OWN = /^(slug|url|id|ruleId|matchedRuleId|userId|editedByIdentityUserId|keyPrefix|rawKey|\w+At|from|to)$/

/** An outcome with a word for each value that is this world's own. */
function alike(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome, (key, value) => {
      // Which client called is the one thing that must differ.
      if (key === 'metadata') return `<${key}>`
      const isOwn = OWN.test(key) && (typeof value === 'string' || typeof value === 'number')
      return isOwn && !String(value).startsWith('https:') && !/^\d\d:\d\d$/.test(String(value)) ? `<${key}>` : value
    }),
  )
}
