import {
  type JSONRPCRequest,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { joinList } from '../core/words.ts'

/** JSON-RPC code of the standard. */
export const INVALID_PARAMS = -32602

const SCHEMAS = {
  initialize: specTypeSchemas.InitializeRequest,
  ping: specTypeSchemas.PingRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
  'completion/complete': specTypeSchemas.CompleteRequest,
  'logging/setLevel': specTypeSchemas.SetLevelRequest,
} as const

/**
 * A server that says in a sentence what is wrong with a request’s parameters. The library by itself calls most of them
 * an internal error, and sends its validator’s dump.
 */
export class StrictServer extends Server {
  /** Called before parameters are refused; set once, right after construction. */
  beforeRefusal: (method: string) => Promise<void> = async () => {}

  protected override _wrapHandler(
    method: string,
    handler: (request: JSONRPCRequest, context: ServerContext) => Promise<Result>,
  ) {
    const wrapped = super._wrapHandler(method, handler)
    return async (request: JSONRPCRequest, context: ServerContext): Promise<Result> => {
      const reason = malformed(method, request)
      if (reason === null) return wrapped(request, context)
      await this.beforeRefusal(method)
      throw new ProtocolError(INVALID_PARAMS, reason)
    }
  }
}

/** What is wrong with the parameters of a request, as a sentence, or null. */
function malformed(method: string, request: JSONRPCRequest): string | null {
  if (!Object.hasOwn(SCHEMAS, method)) return null
  const read = SCHEMAS[method as keyof typeof SCHEMAS]['~standard'].validate(request)
  const [issue] = (read instanceof Promise ? undefined : read.issues) ?? []
  if (issue === undefined) return null
  const keys = (issue.path ?? []).map((key) => (typeof key === 'object' ? key.key : key))
  const sent = keys.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], request)
  const place = keys.slice(keys.length > 1 ? 1 : 0).join('.')
  if (sent === undefined) return `${place} is missing.`
  const [, options = ''] = /expected one of (.+)/.exec(issue.message) ?? []
  if (options !== '') return `${place} must be ${joinList(options.split('|'), 'or')}.`
  const [, type = ''] = /expected (\w+)/.exec(issue.message) ?? []
  return `${place} must be ${TYPES[type] ?? 'as the protocol defines it'}.`
}

/** What the library calls the types of JSON. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}
