import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { startHere } from '../here.ts'
import { startOn } from '../targets.ts'
import '../../src/core/schemas.ts'
import { FIELD_DOCS } from '../../src/core/glossary.ts'
import type { JsonSchema } from '../../src/core/shape.ts'
import { validate } from '../../src/core/validate.ts'
import { operations } from '../../src/implementations.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { Documented } from './document.ts'

setDefaultTimeout(60_000)

let server: Server
let documented: Documented
beforeAll(async () => {
  server = await startHere()
  documented = await Documented.of(server)
})
afterAll(async () => {
  await server.stop()
})

test('the document is one of OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(documented.document)))
  expect([valid, errors]).toEqual([true, undefined as never])
})

test('every operation of the table is in it, under its own route, and nothing else', () => {
  const described = documented
    .operations()
    .map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
  const declared = operations.map(({ name, route }) => {
    const [method = '', path = ''] = route.split(' ')
    return `${name} ${method.toLowerCase()} /api${path.replaceAll(/:(\w+)/g, '{$1}')}`
  })
  expect(described.sort()).toEqual(declared.sort())
})

test('a body that a request may do without is said to be optional, and any other to be required', () => {
  for (const { operation, method } of documented.operations()) {
    const { body } = operations.find(({ name }) => name === operation.operationId)!
    const hasBody = method === 'post' || method === 'patch'
    const expected = hasBody && body !== 'none' ? body !== 'optional' : undefined
    expect([operation.operationId, operation.requestBody?.required]).toEqual([operation.operationId, expected])
  }
})

test('every field is described, and the glossary has no word that no field has', () => {
  const nameless: string[] = []
  const used = new Set(['Condition', 'TracedCondition', 'idempotencyKey', 'expectedVersion', 'format'])
  const walk = (schema: JsonSchema, place: string) => {
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      if (!('description' in field) && !('const' in field) && name !== 'op') nameless.push(`${place}.${name}`)
      used.add(name)
      walk(field, name)
    }
    for (const inner of [schema.items, schema.additionalProperties, ...((schema.anyOf as JsonSchema[]) ?? [])]) {
      if (inner !== null && typeof inner === 'object') walk(inner as JsonSchema, place)
    }
  }
  const { paths, components } = documented.document
  for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name)
  for (const { operation } of documented.operations()) {
    for (const { name, description } of operation.parameters) {
      used.add(name)
      if (description === undefined || description === 'undefined') nameless.push(`${operation.operationId}: ${name}`)
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, operation.operationId)
    for (const { content } of Object.values(operation.responses)) {
      for (const { schema } of Object.values(content ?? {})) walk(schema, operation.operationId)
    }
  }
  expect(Object.keys(paths).length).toBeGreaterThan(10)
  expect(nameless).toEqual([])
  expect(Object.keys(FIELD_DOCS).filter((name) => !used.has(name.split('.').at(-1) ?? ''))).toEqual([])
})

test('every example is what it is an example of', () => {
  const wrong: unknown[] = []
  for (const { path, method, operation } of documented.operations()) {
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
      wrong.push(documented.wrong(['paths', path, method, 'requestBody', 'content', type, 'schema'], example))
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, { example }] of Object.entries(content)) {
        if (type !== 'application/json') continue
        expect([operation.operationId, status, example]).not.toEqual([operation.operationId, status, undefined])
        wrong.push(documented.wrong(['paths', path, method, 'responses', status, 'content', type, 'schema'], example))
      }
    }
  }
  expect(wrong.filter((message) => message !== null)).toEqual([])
  for (const { name, input, example } of operations) {
    if (example !== undefined) expect([name, validate(input, example) !== undefined]).toEqual([name, true])
  }
})

test.each(RUNTIMES)('on %s the document, its page and the text for agents are served to anybody', async (runtime) => {
  const own = await startOn({ name: runtime, runtime, store: 'file' })
  for (const [path, type] of [
    ['/api/openapi.json', 'application/json'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
  ] as const) {
    const answer = await fetch(own.origin + path)
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
    expect((await answer.text()).includes(own.origin)).toBe(true)
    expect((await fetch(own.origin + path, { method: 'HEAD' })).status).toBe(200)
    const refused = await fetch(own.origin + path, { method: 'POST' })
    expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
  }
  await own.stop()
})

test('the page shows every operation and every field without a script', async () => {
  const page = await (await fetch(`${server.origin}/docs`)).text()
  for (const { operation, path } of documented.operations()) {
    expect(page).toContain(`id="${operation.operationId}"`)
    expect(page).toContain(`>${path}</code>`)
  }
  for (const name of Object.keys(FIELD_DOCS).filter((name) => /^[a-z]\w*$/.test(name))) {
    const isShown = page.includes(`>${name}</code>`) || ['idempotencyKey', 'expectedVersion'].includes(name)
    expect([name, isShown]).toEqual([name, true])
  }
})
