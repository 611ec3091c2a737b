import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { startInProcess } from '../in-process.ts'
import { startOn } from '../targets.ts'
import '../../src/core/schemas.ts'
import { operations } from '../../src/api/implementations.ts'
import type { JsonSchema } from '../../src/core/shape.ts'
import { variantsOf } from '../../src/operations/operation.ts'
import { validate } from '../../src/operations/validate.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { Documented } from './document.ts'

setDefaultTimeout(180_000)

let server: Server
let documented: Documented
beforeAll(async () => {
  server = await startInProcess()
  documented = await Documented.of(server)
})
afterAll(async () => {
  await server.stop()
})

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(documented.document)))
  expect([valid, errors]).toEqual([true, undefined as never])
})

test('it has every operation of the table under its own route, with its dry run and CSV, a link in its other forms, and nothing else', () => {
  const described = documented
    .operations()
    .map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
  const all = operations.flatMap((operation) => [operation, ...variantsOf(operation)])
  const declared = all.map(({ name, route }) => {
    const [method = '', path = ''] = route.split(' ')
    return `${name} ${method.toLowerCase()} /api${path.replaceAll(/:(\w+)/g, '{$1}')}`
  })
  const forms = [
    'read_launcher_json get /l/{slug}.json',
    'read_launcher_markdown get /l/{slug}.md',
    'read_launcher_feed get /l/{slug}/feed',
    'read_launcher_calendar get /l/{slug}/calendar.ics',
  ]
  expect(described.sort()).toEqual([...declared, ...forms].sort())
})

test('optional request bodies are marked optional, and all others required', () => {
  for (const { operation, method } of documented.operations()) {
    const named = (name: string) => operation.operationId.replace(/_(dry_run|csv)$/, '') === name
    const { body } = operations.find(({ name }) => named(name)) ?? {}
    const hasBody = ['post', 'put', 'patch'].includes(method)
    const expected = hasBody && body !== 'none' ? body !== 'optional' : undefined
    expect([operation.operationId, operation.requestBody?.required]).toEqual([operation.operationId, expected])
  }
})

test('every field is described', () => {
  const nameless: string[] = []
  const walk = (schema: JsonSchema, place: string) => {
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      if (!('description' in field) && !('const' in field) && name !== 'op') nameless.push(`${place}.${name}`)
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
      if (description === undefined || description === 'undefined') nameless.push(`${operation.operationId}: ${name}`)
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, operation.operationId)
    for (const { content } of Object.values(operation.responses)) {
      for (const { schema } of Object.values(content ?? {})) walk(schema, operation.operationId)
    }
  }
  expect(Object.keys(paths).length).toBeGreaterThan(10)
  expect(nameless).toEqual([])
})

test('no description is empty', () => {
  expect(JSON.stringify(documented.document)).not.toMatch(/"(?:description|summary)":"(?:\s*|undefined)"/)
})

test('every example of a field matches the schema that it stands in', () => {
  const wrong: unknown[] = []
  const check = (schema: unknown, path: string[]): void => {
    if (schema === null || typeof schema !== 'object') return
    const { examples } = schema as { examples?: unknown[] }
    if (Array.isArray(examples) && path.at(-1) !== 'properties') {
      for (const example of examples) wrong.push(documented.wrong(path, example))
    }
    for (const [key, inner] of Object.entries(schema)) if (key !== 'examples') check(inner, [...path, key])
  }
  for (const [name, schema] of Object.entries(documented.document.components.schemas)) {
    check(schema, ['components', 'schemas', name])
  }
  expect(wrong.length).toBeGreaterThan(100)
  expect(wrong.filter((message) => message !== null)).toEqual([])
})

test('every example matches its schema', () => {
  const wrong: unknown[] = []
  for (const { path, method, operation } of documented.operations()) {
    for (const [type, { examples }] of Object.entries(operation.requestBody?.content ?? {})) {
      const example = examples?.example.value
      wrong.push(documented.wrong(['paths', path, method, 'requestBody', 'content', type, 'schema'], example))
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, { examples }] of Object.entries(content)) {
        if (type !== 'application/json') continue
        const example = examples?.example.value
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

test.each(RUNTIMES)('on %s the document, its page and the text for agents are public', async (runtime) => {
  const own = await startOn({ name: runtime, runtime, store: 'file' })
  for (const [path, type] of [
    ['/api/openapi.json', 'application/json; charset=utf-8'],
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

test('each success has one type, every enumeration a type, and no pattern needs another', () => {
  const untyped: string[] = []
  const walk = (value: unknown, place: string) => {
    if (value === null || typeof value !== 'object') return
    if ('allOf' in value) untyped.push(`${place}: allOf`)
    if (('enum' in value || 'const' in value) && !('type' in value)) untyped.push(place)
    for (const [key, inner] of Object.entries(value)) if (key !== 'examples') walk(inner, `${place}.${key}`)
  }
  walk(documented.document.components.schemas, 'schemas')
  for (const { operation } of documented.operations()) {
    walk(operation.parameters, operation.operationId)
    walk(operation.requestBody ?? {}, operation.operationId)
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    const types = successes.flatMap(([, { content = {} }]) => Object.keys(content))
    // What creates or edits answers the same in both cases.
    const statuses = operation.operationId === 'put_bundle' ? ['200', '201'] : [expect.any(String)]
    expect([operation.operationId, successes.map(([status]) => status)]).toEqual([operation.operationId, statuses])
    expect([operation.operationId, new Set(types).size <= 1]).toEqual([operation.operationId, true])
    expect([operation.operationId, operation.tags.length]).toEqual([operation.operationId, 1])
  }
  expect(untyped).toEqual([])
  expect(Object.keys(documented.document.components.schemas)).toEqual(
    expect.arrayContaining(['Bundle', 'UrlMetadata', 'Rule', 'Tab', 'NewRule', 'NewTab', 'Policy']),
  )
})

test('the page shows every operation and every field without a script', async () => {
  const page = await (await fetch(`${server.origin}/docs`)).text()
  for (const { operation, path } of documented.operations()) {
    expect(page).toContain(`id="${operation.operationId}"`)
    expect(page).toContain(`>${path}</code>`)
  }
  const names = new Set<string>()
  const { paths, components } = documented.document
  JSON.stringify([paths, components.schemas], (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) names.add(name)
    return value
  })
  expect(names.size).toBeGreaterThan(200)
  expect([...names].filter((name) => !page.includes(`>${name}</code>`))).toEqual([])
})
