import type { JsonSchema } from '../core/shape.ts'

/** An OpenAPI 3.1 document, as far as it is used here. */
export interface OpenApi {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    summary: string
    description: string
    contact: { name: string; url: string }
    license: { name: string; identifier: string }
  }
  /** Every error code of the service, by its name. */
  'x-errors': Record<string, { status: number; description: string }>
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Described>>
  /** Bodies of webhooks, by event. */
  webhooks: Record<string, { post: Described }>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, { description: string; schema: JsonSchema }>
    securitySchemes: Record<string, JsonSchema>
  }
}

/** One operation of the document. */
export interface Described {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  /** The scope that a key needs. */
  'x-scope'?: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Response>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  /** For an object that stands for the whole query: each of its fields is a parameter. */
  style?: 'form'
  explode?: true
  schema: JsonSchema
  example?: unknown
}

/** A body with one content type. */
export interface Content {
  schema: JsonSchema
  /** A map by name, as OpenAPI requires; here always with one entry, `example`. */
  examples?: { example: { value: unknown } }
}

/** An answer with one status. */
interface Response {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Content>
}
