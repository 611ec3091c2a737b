import type { JsonSchema } from '../../src/core/shape.ts'
import type { Described, OpenApi } from '../../src/operations/openapi-types.ts'

/** A request for an operation: valid according to the document, or nearly. */
export interface Generated {
  method: string
  /** Path with query. */
  target: string
  headers: Record<string, string>
  body: string | undefined
}

/** The keywords of JSON Schema that are used here. */
type Read = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Read[]
  oneOf?: Read[]
  allOf?: Read[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Read
  properties?: Record<string, Read>
  required?: string[]
  maxProperties?: number
  additionalProperties?: boolean | Read
}

const URLS = [
  'https://a.example/',
  'http://b.example:8080/x?y=z#w',
  ' https://münchen.example/%F0%9F%98%80 ',
  'https://[::1]/',
]
/** Texts for the patterns in the document; a text is picked among those that match. */
const WORDS = [
  ...URLS,
  'r_0000000000',
  '09:00',
  '24:00',
  '2026-11-02T09:00:00Z',
  '2026-02-30T09:00:00+01:00',
  '2026-12-01T09:00:00.5+01:00',
  '2027-01-01T00:00:00Z',
  '2028-02-29T23:59:59-05:00',
  'x@y.example',
  '203.0.113.7/24',
  '2001:db8::1',
  'query.ref',
  'acme.com',
  'UTC',
  'week',
  'mon',
  'mon,fri',
  'last',
  '2026-12-01',
  'Europe/Berlin',
  'de',
  '"v1"',
  '"v2"',
  '*',
  'acme/1.4',
  'abc',
  'launch-day',
  'Ünïcødé 🎉 and a rather long text of more than a few words',
]
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  1.5,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'x'.repeat(3000),
  [],
  {},
  [null],
  [[[]]],
  { op: 'and', of: [] },
  { __proto__: null, constructor: 1 },
  'javascript:alert(1)',
  'https://',
  "'; DROP TABLE bundles; --",
  '../../etc/passwd',
  '%00',
  '💥',
]

/** Random requests, reproducible from a seed. */
export class Requests {
  readonly #definitions: Record<string, JsonSchema>

  constructor(
    readonly next: () => number,
    document: OpenApi,
    /** Meaningful values by field, such as existing slugs; by operation and field, all that the body ever has before it is spoiled. */
    readonly known: Record<string, readonly unknown[]>,
  ) {
    this.#definitions = document.components.schemas
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** A request that is valid or, half of the time, wrong somewhere. */
  of({ path, method, operation }: { path: string; method: string; operation: Described }): Generated {
    const isRight = this.chance(0.5)
    const value = (name: string, schema: JsonSchema) => {
      const asked = this.known[name]
      // A number that is an id by chance would revoke the key of all later requests.
      if (asked !== undefined && (name === 'id' || this.chance(0.8))) return this.pick(asked)
      return isRight || this.chance(0.6) ? this.value(schema as Read) : this.pick(JUNK)
    }
    let target = path
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    for (const { name, in: where, required, explode, schema } of operation.parameters) {
      if (!required && this.chance(0.6)) continue
      const made = value(name, schema)
      if (explode === true) {
        // A text has a field for each character, together more than an address may be long.
        const fields = typeof made === 'string' ? { [name]: made } : (made ?? {})
        for (const [field, text] of Object.entries(fields)) query.append(field, textOf(text).toWellFormed())
        continue
      }
      const text = textOf(made)
      if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(text.toWellFormed()) || 'x')
      else if (where === 'query') query.append(name, text)
      else if (/^[\x20-\x7e]*$/.test(text)) headers[name] = text
    }
    if (!isRight && this.chance(0.2)) query.append(this.pick(['x', 'limit', 'format', '']), '1')
    const search = query.size === 0 ? '' : `?${query}`
    return {
      method: method.toUpperCase(),
      target: target + search,
      headers,
      body: method === 'get' ? undefined : this.#body(operation, isRight, headers),
    }
  }

  #body(
    { requestBody, operationId }: Described,
    isRight: boolean,
    headers: Record<string, string>,
  ): string | undefined {
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {})
    if (content === undefined || type === undefined) {
      if (isRight || this.chance(0.7)) return undefined
      headers['content-type'] = 'application/json'
      return this.pick(['{}', '{"x":1}', '{'])
    }
    headers['content-type'] = isRight || this.chance(0.95) ? type : 'text/html'
    const body = this.value(content.schema as Read) as Record<string, unknown>
    for (const name of Object.keys(body)) {
      const [own, asked] = [this.known[`${operationId}.${name}`], this.known[name]]
      if (own !== undefined) body[name] = this.pick(own)
      else if (asked !== undefined && this.chance(0.7)) body[name] = this.pick(asked)
    }
    if (isRight) return JSON.stringify(body)
    if (this.chance(0.05))
      return this.pick(['', '{', 'null', '[]', '"x"', '\u0000', `${'['.repeat(99)}${']'.repeat(99)}`])
    return JSON.stringify(this.#spoiled(body))
  }

  /** A copy with one thing in it changed. */
  #spoiled(value: unknown): unknown {
    if (value === null || typeof value !== 'object' || this.chance(0.15)) return this.pick(JUNK)
    if (Array.isArray(value)) {
      if (value.length === 0 || this.chance(0.2))
        return [...value, ...Array(this.chance(0.2) ? 60 : 1).fill(this.pick(JUNK))]
      const at = Math.floor(this.next() * value.length)
      return value.with(at, this.#spoiled(value[at]))
    }
    const entries = Object.entries(value)
    if (entries.length === 0 || this.chance(0.15))
      return { ...value, [this.pick(['x', 'urls', 'op', '__proto__', ''])]: 1 }
    const [name, inner] = this.pick(entries)
    if (this.chance(0.15)) return Object.fromEntries(entries.filter(([other]) => other !== name))
    return { ...value, [name]: this.#spoiled(inner) }
  }

  /** A value of a schema; `depth` limits the nesting of conditions. */
  value(schema: Read, depth = 0): unknown {
    const { $ref, anyOf, oneOf, properties, items, additionalProperties } = schema
    if ($ref !== undefined) return this.value(this.#definitions[$ref.split('/').at(-1) ?? ''] as Read, depth + 1)
    if ('const' in schema) return schema.const
    if (schema.enum !== undefined) return this.pick(schema.enum)
    if (properties !== undefined) return this.#object(schema, depth)
    const branches = anyOf ?? oneOf
    if (branches !== undefined && schema.type !== 'string') {
      const flat = branches.filter((branch) => !JSON.stringify(branch).includes('"$ref"'))
      return this.value(this.pick(depth > 3 && flat.length > 0 ? flat : branches), depth)
    }
    switch (schema.type) {
      case 'string':
        return this.#text(branches === undefined ? schema : this.pick(branches))
      case 'integer':
      case 'number': {
        const { minimum = -5, maximum = 1e6 } = schema
        return this.pick([
          minimum,
          Math.min(maximum, minimum + 1),
          Math.floor(minimum + this.next() * Math.min(50, maximum - minimum)),
        ])
      }
      case 'boolean':
        return this.chance(0.5)
      case 'null':
        return null
      case 'array': {
        const { minItems = 0, maxItems = 3 } = schema
        const count = Math.min(maxItems, minItems + Math.floor(this.next() * 3))
        return Array.from({ length: count }, () => this.value(items ?? {}, depth + 1))
      }
      case 'object':
        return typeof additionalProperties === 'object' ? { ref: this.value(additionalProperties) } : {}
      default:
        return this.pick(WORDS)
    }
  }

  #object({ properties = {}, required = [], maxProperties }: Read, depth: number): Record<string, unknown> {
    const fields = Object.entries(properties)
    const some =
      maxProperties === 1 ? [this.pick(fields)] : fields.filter(([name]) => required.includes(name) || this.chance(0.4))
    return Object.fromEntries(some.map(([name, inner]) => [name, this.value(inner, depth + 1)]))
  }

  #text({ enum: some, pattern, allOf = [], minLength = 0, maxLength = 100 }: Read): unknown {
    if (some !== undefined) return this.pick(some)
    const patterns = [pattern, ...allOf.map((part) => part.pattern)].filter((one) => one !== undefined)
    const fits = (word: string) =>
      word.length >= minLength && word.length <= maxLength && patterns.every((one) => new RegExp(one, 'u').test(word))
    const words = WORDS.filter(fits)
    const full = 'é'.repeat(Math.min(maxLength, 5000))
    return this.chance(0.1) && fits(full) ? full : this.pick(words.length === 0 ? WORDS : words)
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
