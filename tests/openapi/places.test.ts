import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { JsonSchema } from '../../src/core/shape.ts'
import { newWorld, POLICY, type World } from '../parity/world.ts'
import { newPerson, Visitor } from '../people.ts'
import { prng } from '../prng.ts'
import type { Server } from '../server.ts'
import { startOn } from '../targets.ts'
import { Documented } from './document.ts'
import { Requests } from './requests.ts'

setDefaultTimeout(300_000)

const AT_ONCE = 8
/** Of every type that JSON has, empty and not. */
const ODD: readonly unknown[] = [null, true, -7.5, 'odd', [], [[]], [{}], {}, { odd: 1 }]

interface Answered {
  error?: string
  slug?: string
  results?: { status: number; error?: string }[]
}

type Path = readonly (string | number)[]

/** Every place in a value, the value itself last. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const inner = value === null || typeof value !== 'object' ? [] : Object.entries(value)
  const key = (name: string) => (Array.isArray(value) ? Number(name) : name)
  return [...inner.flatMap(([name, one]) => placesIn(one, [...path, key(name)])), path]
}

function replaced(value: unknown, [first, ...rest]: Path, odd: unknown): unknown {
  if (first === undefined) return odd
  if (Array.isArray(value)) return value.with(first as number, replaced(value[first as number], rest, odd))
  const object = value as Record<string, unknown>
  return { ...object, [first]: replaced(object[first], rest, odd) }
}

/** A place as errors name it. */
function nameOf(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  )
}

/** Values of fields whose schema says too little to make one up. */
const KNOWN: Readonly<Record<string, unknown>> = {
  // A made-up name may be a web address, which is refused before other fields.
  name: 'Acme',
  urls: ['https://a.example/', 'https://b.example/'],
  urlMetadata: [{ note: 'first', tags: ['live'], section: 'one', openPolicy: 'manual' }, {}],
  addUrls: [{ url: 'https://new.example/', note: 'new', tags: ['live'], section: 'one', openPolicy: 'auto', at: 0 }],
  removeUrls: ['https://a.example/'],
  setMetadata: { 'https://a.example/': { note: 'other', tags: null } },
  variables: [{ name: 'id', label: 'Number', example: '1', default: '2', options: ['1', '2'] }, { name: 'range' }],
  resolutionPolicy: POLICY,
  opensAt: '2026-12-01T09:00:00Z',
  closesAt: '2026-12-02T09:00:00Z',
  timeZone: 'Europe/Berlin',
  now: '2026-12-01T09:00:00Z',
  access: 'password',
  password: 'correct horse battery',
  expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  allowedNetworks: ['203.0.113.0/24', '2001:db8::1'],
}

/** An edit without a password, whose length is checked with the bundle. */
const {
  name: _name,
  password: _,
  access: __,
  timeZone: ___,
  now: ____,
  expiresAt: _____,
  allowedNetworks: ______,
  ...CONTENT
} = KNOWN
const { addUrls, removeUrls, setMetadata, ...FIELDS } = CONTENT
const EDITS = [
  { slug: 'launch-day', ...FIELDS, title: 'x', expectedVersion: 1 },
  { slug: 'launch-day', addUrls, removeUrls, setMetadata, copyable: true },
]

/** Which fields cannot be together in a body that is right. */
const APART: Readonly<Record<string, readonly string[]>> = {
  claim_bundle: ['slug'],
  create_bundle: ['email'],
  create_bundle_dry_run: ['email'],
  update_bundle: ['addUrls', 'removeUrls', 'setMetadata'],
  update_bundle_dry_run: ['urls', 'urlMetadata', 'removeUrls', 'setMetadata'],
  propose_edit: ['urls', 'urlMetadata'],
}

const ADDRESS_HEADER = 'x-client'

let server: Server
beforeAll(async () => {
  server = await startOn(
    { name: 'Bun over a file', runtime: 'bun', store: 'file' },
    {
      SERVICE_PLAN_FREE_MAX_BUNDLES: '100000',
      SERVICE_WRITES_PER_MINUTE: '1000000',
      SERVICE_WRITES_PER_HOUR: '1000000',
      SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
      SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true',
      SERVICE_CLIENT_IP_HEADER: ADDRESS_HEADER,
    },
  )
})
afterAll(() => server.stop())

test('a value of any type at any place of any body is never a 5xx; what the document refuses is a 400 that names the place; what is stored is as documented', async () => {
  const documented = await Documented.of(server)
  const stranger = await newPerson(server)
  const world = await newWorld(server, (await stranger.makeBundle()).slug)
  const agent = new Visitor(server, { authorization: `Bearer ${world.key}` })
  const wrong: string[] = []
  const made = new Set<string>([world.slug])
  let sent = 0
  for (const place of documented.operations()) {
    const { path, method, operation } = place
    const schema = operation.requestBody?.content['application/json']?.schema as JsonSchema | undefined
    if (schema === undefined) continue
    const right = fullBody(documented, schema, operation.operationId)
    const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    const all = placesIn(right).flatMap((at) => ODD.map((odd) => ({ at, odd, body: replaced(right, at, odd) })))
    // It would make the bundle with another slug than all other bodies have, which are refused for that first.
    const isMade = ({ at, odd }: (typeof all)[number]) =>
      operation.operationId === 'put_bundle' && odd === null && at.join('.') === 'slug'
    const requests = all.filter((one) => !isMade(one))
    const send = async ({ at, odd, body }: (typeof requests)[number]) => {
      const target = targetOf(
        path,
        path.includes('/keys/') ? { ...world, proposalId: String(world.spareKeyId) } : world,
      )
      sent += 1
      // Reports are limited by address, whoever sends them.
      const from = { [ADDRESS_HEADER]: `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}` }
      const answer = await agent.api<Answered>(method.toUpperCase(), target, body, from)
      if (answer.status === 201 && answer.body.slug !== undefined) made.add(answer.body.slug)
      // Null in a field is the same as none, unless the field takes it.
      const isNull = odd === null && at.length > 0
      const read = isNull ? JSON.parse(JSON.stringify(replaced(right, at, undefined))) : body
      const isWrong = documented.wrong(pointer, body) !== null && documented.wrong(pointer, read) !== null
      // Each entry of a call for several is answered by itself.
      const entry = answer.body?.results?.[Number(at[1] ?? 0)]
      const said = (entry ?? answer.body)?.error ?? ''
      const field = String(at.findLast((key) => typeof key === 'string'))
      const named = nameOf(entry === undefined ? at : at.slice(2))
      const namesIt = at.length === 0 || said.startsWith(named) || said.includes(field)
      const isRefused = (entry ?? answer).status === 400 && namesIt
      if (answer.status >= 500 || (isWrong && !isRefused))
        wrong.push(`${operation.operationId} ${nameOf(at)} = ${JSON.stringify(odd)}: ${answer.status} ${said}`)
    }
    for (let from = 0; from < requests.length; from += AT_ONCE)
      await Promise.all(requests.slice(from, from + AT_ONCE).map(send))
  }
  expect(wrong.slice(0, 10)).toEqual([])
  expect(server.output()).not.toContain('a request failed')
  for (const slug of made) {
    const response = await agent.fetch(`/api/links/${slug}`)
    expect(await documented.wrongWith({ path: '/api/links/{slug}', method: 'get' }, response)).toBeNull()
  }
  const versions = await agent.fetch(`/api/links/${world.slug}/versions`)
  expect(await documented.wrongWith({ path: '/api/links/{slug}/versions', method: 'get' }, versions)).toBeNull()
  expect(sent).toBeGreaterThan(1000)
})

/** A made-up bundle that could be made; without a password, as edits. */
function withKnown({ access, password, ...bundle }: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(bundle).map(([field, value]) => [field, KNOWN[field] ?? value]))
}

/** A body that has every field. */
function fullBody({ document }: Documented, schema: JsonSchema, name: string): Record<string, unknown> {
  const requests = new Requests(prng(1), document, {})
  const bundles = (inner: JsonSchema) => (requests.value(inner) as Record<string, unknown>[]).map(withKnown)
  const madeUp = (field: string, inner: JsonSchema) =>
    field === 'edits' ? EDITS : field === 'bundles' ? bundles(inner) : (KNOWN[field] ?? requests.value(inner))
  const definition =
    typeof schema.$ref === 'string' ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema
  const { properties = {} } = definition as { properties?: Record<string, JsonSchema> }
  const fields = Object.entries(properties).filter(([field]) => !APART[name]?.includes(field))
  return Object.fromEntries(
    fields.map(([field, inner]) => {
      const { properties: within } = inner as { properties?: Record<string, JsonSchema> }
      if (within === undefined || field in KNOWN) return [field, madeUp(field, inner)]
      return [field, Object.fromEntries(Object.entries(within).map(([one, shape]) => [one, madeUp(one, shape)]))]
    }),
  )
}

function targetOf(path: string, { slug, proposalId, webhookId, deliveryId }: World): string {
  const values: Record<string, string | number> = { slug, id: proposalId, webhookId, deliveryId, versionNumber: 1 }
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? 'x'))
}
