import {
  type JSONRPCRequest,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { sentenceOf } from '../core/issue-words.ts'
import { fromZod } from '../http/zod-issues.ts'

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
  const { path, reason } = fromZod(issue)
  return `${sentenceOf({ path: path.slice(path.length > 1 ? 1 : 0), reason })}.`
}
