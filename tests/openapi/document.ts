import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApi } from '../../src/operations/openapi-types.ts'
import type { Server } from '../server.ts'

/** A server's OpenAPI document, with checks of answers against it. */
export class Documented {
  readonly #ajv = addFormats(new Ajv({ strict: false, allErrors: true }))
  readonly #checks = new Map<string, ValidateFunction>()

  constructor(readonly document: OpenApi) {
    this.#ajv.addSchema(document, 'openapi')
  }

  static async of({ origin }: Pick<Server, 'origin'>): Promise<Documented> {
    return new Documented((await (await fetch(`${origin}/api/openapi.json`)).json()) as OpenApi)
  }

  /** Every operation with its path and method. */
  operations() {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
  }

  /** What is wrong with an answer, or null if it conforms to the document. */
  async wrongWith(place: { path: string; method: string }, response: Response): Promise<string | null> {
    const { path, method } = place
    const described = this.document.paths[path]?.[method]?.responses[response.status]
    const text = await response.text()
    if (described === undefined) return `${response.status} is not in the document: ${text.slice(0, 200)}`
    const header = this.#wrongHeader(described.headers ?? {}, response.headers)
    if (header !== null) return header
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    if (described.content === undefined) return text === '' ? null : 'has a body'
    if (described.content[type] === undefined) return `${type} is not in the document`
    if (type !== 'application/json') return null
    const pointer = ['paths', path, method, 'responses', `${response.status}`, 'content', type, 'schema']
    return this.wrong(pointer, JSON.parse(text))
  }

  /** A header that the document has elsewhere and not here, or with another text; null if there is none. */
  #wrongHeader(here: object, sent: Headers): string | null {
    for (const [name, { schema }] of Object.entries(this.document.components.headers)) {
      const value = sent.get(name)
      // A launcher's other forms have an ETag of their own.
      if (value === null || (name === 'ETag' && value.startsWith('W/'))) continue
      if (!(name in here)) return `${name} is not in the document`
      if (!new RegExp(String(schema.pattern), 'u').test(value)) return `${name} is ${value}`
    }
    return null
  }

  /** What is wrong with a value according to the schema at this place in the document, or null. */
  wrong(place: readonly string[], value: unknown): string | null {
    const pointer = `openapi#/${place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    let check = this.#checks.get(pointer)
    if (check === undefined) this.#checks.set(pointer, (check = this.#ajv.compile({ $ref: pointer })))
    if (check(value)) return null
    return `${JSON.stringify(value)?.slice(0, 300)}: ${this.#ajv.errorsText(check.errors).slice(0, 300)}`
  }
}
