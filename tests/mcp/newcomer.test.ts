import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { mint, newPerson } from '../contract/people.ts'
import { startInProcess } from '../in-process.ts'
import type { Server } from '../server.ts'
import { type Agent, legacyAgent, modernAgent } from './support.ts'

setDefaultTimeout(180_000)

/** The parts of a JSON Schema that a newcomer reads. */
interface Schema {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  $defs?: Record<string, Schema>
}

/** An agent that knows only the list of tools: no tool or field is named below. */
class Newcomer {
  readonly #ajv = addFormats(new Ajv({ strict: false }))

  private constructor(
    readonly agent: Agent,
    readonly tools: Awaited<ReturnType<Agent['list']>>,
  ) {}

  static async meet(agent: Agent): Promise<Newcomer> {
    return new Newcomer(agent, await agent.list())
  }

  /** The one tool whose description contains this. */
  tool(says: RegExp) {
    const found = this.tools.filter(({ description = '' }) => says.test(description))
    if (found.length !== 1) throw new Error(`${found.length} tools say ${says}`)
    const [{ name, inputSchema, outputSchema }] = found as [(typeof found)[0]]
    return { name, input: inputSchema as Schema, output: outputSchema as Schema }
  }

  /** Calls a tool, and validates input and answer against its schemas. */
  async call({ name, input, output }: ReturnType<Newcomer['tool']>, args: Record<string, unknown>) {
    this.#check(input, args)
    const { isError = false, structuredContent = {} } = await this.agent.call(name, args)
    this.#check(output, structuredContent)
    if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`)
    return structuredContent
  }

  #check(schema: Schema, value: unknown): void {
    const check = this.#ajv.compile(schema)
    if (!check(value))
      throw new Error(`${JSON.stringify(value)} is not as described: ${this.#ajv.errorsText(check.errors)}`)
  }
}

/** The field of an object whose description contains this. */
function field(schema: Schema | undefined, says: RegExp): string {
  const found = Object.entries(schema?.properties ?? {}).find(([, { description = '' }]) => says.test(description))
  if (found === undefined) throw new Error(`no field says ${says}`)
  return found[0]
}

/** The branch of a choice that is an object. */
function object(schema: Schema | undefined): Schema {
  return schema?.anyOf?.find(({ properties }) => properties !== undefined) ?? schema ?? {}
}

let server: Server
let key: string
beforeAll(async () => {
  server = await startInProcess()
  key = (await mint(server, await newPerson(server), { scopes: ['keys:admin'] })).rawKey
})
afterAll(async () => {
  await server.stop()
})

describe.each([
  ['2025-11-25', legacyAgent],
  ['2026-07-28', modernAgent],
] as const)('an agent that speaks %s and knows only the list of tools', (revision, connect) => {
  test('makes a bundle, adds a rule, tests it, reads insights, and undoes the edit', async () => {
    const agent = await connect(server, key)
    expect(agent.revision).toBe(revision)
    const newcomer = await Newcomer.meet(agent)

    const create = newcomer.tool(/^Creates a bundle:/)
    const [destinations, called] = [field(create.input, /the URLs, in the order/i), field(create.input, /^the title/i)]
    const plan = { [destinations]: ['https://a.example/', 'https://b.example/'], [called]: 'Offsite' }
    const rehearsal = field(create.input, /save nothing/)
    await newcomer.call(create, { ...plan, [rehearsal]: true })
    const made = await newcomer.call(create, {
      ...plan,
      [field(create.input, /take effect once/)]: `once-${revision}`,
    })
    const link = Object.values(made).find((value) => URL.canParse(String(value))) as string
    expect((await fetch(link)).status).toBe(200)

    const read = newcomer.tool(/^Reads one of your bundles/)
    const names = field(read.input, /Identifies the bundle/)
    const which = { [names]: link.split('/').at(-1) }
    const before = await newcomer.call(read, which)

    // A rule for people of one company, built from the schema of rules and conditions.
    const edit = newcomer.tool(/^Changes the fields/)
    const policyField = field(edit.input, /different viewers different tabs/)
    // An edit refers to the tool that tries policies for what a condition is.
    const tryOut = newcomer.tool(/^Tries a policy/)
    const policy = object(tryOut.input.properties?.[policyField])
    const rulesField = field(policy, /Tried in order/)
    const rule = policy.properties?.[rulesField]?.items
    const [whom, gets, ruleName] = [
      field(rule, /which viewers the rule is for/i),
      field(rule, /matching viewers get/),
      field(rule, /rule’s name/),
    ]
    expect(JSON.stringify(edit.input)).toContain(`see ${tryOut.name}`)
    const condition = tryOut.input.$defs?.[rule?.properties?.[whom]?.$ref?.split('/').at(-1) ?? '']
    // The words say which operators take which fields.
    expect(condition?.description).toMatch(/equals\b.*\(`field`, `value`\)/)
    const [asked, compared] = [field(condition, /field to compare/), field(condition, /compare with/)]
    const [operator = ''] = condition?.required ?? []
    expect(condition?.properties?.[operator]?.enum).toContain('equals')
    const company = condition?.properties?.[asked]?.anyOf?.[0]?.enum ?? []
    const domain = company.find((value) => /domain/i.test(String(value)) && /mail/i.test(String(value)))
    const constants = Object.entries(policy.properties ?? {}).filter(([, { const: value }]) => value !== undefined)
    const tab = rule?.properties?.[gets]?.items
    const draft = {
      ...Object.fromEntries(constants.map(([name, { const: value }]) => [name, value])),
      [rulesField]: [
        {
          [ruleName]: 'Ours',
          [whom]: { [operator]: 'equals', [asked]: domain, [compared]: 'acme.com' },
          [gets]: [{ [field(tab, /tab’s URL/)]: 'https://ours.example/' }],
        },
      ],
    }

    const viewerField = field(tryOut.input, /viewer to simulate/)
    const viewer = tryOut.input.properties?.[viewerField]
    const described = { [viewerField]: { [field(viewer, /domain of their verified address/)]: 'acme.com' } }
    const drafted = { ...which, ...described, [field(tryOut.input, /different viewers different tabs/)]: draft }
    expect(JSON.stringify(await newcomer.call(tryOut, drafted))).toContain('https://ours.example/')
    expect(JSON.stringify(await newcomer.call(tryOut, { ...which, ...described }))).not.toContain(
      'https://ours.example/',
    )
    await newcomer.call(edit, { ...which, [policyField]: draft })
    expect(JSON.stringify(await newcomer.call(tryOut, { ...which, ...described }))).toContain('https://ours.example/')

    const insights = newcomer.tool(/^Reports how a bundle is used/)
    expect(JSON.stringify(await newcomer.call(insights, which))).toContain('Ours')

    const states = newcomer.tool(/^Lists all versions/)
    const undo = newcomer.tool(/^Undoes edits/)
    const [list] = Object.values(await newcomer.call(states, which)) as Record<string, unknown>[][]
    const numbered = field(undo.input, /bundle’s version/)
    await newcomer.call(undo, { ...which, [numbered]: list?.[1]?.[numbered] })
    const after = await newcomer.call(read, which)
    expect(after[policyField]).toEqual(before[policyField])
    expect(after[policyField]).toBeNull()
    await agent.close()
  })
})
