import {
  type JSONRPCRequest,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import { sentenceOf } from '../core/issue-words.ts'
import { type Met, Problem } from '../core/problem.ts'
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

/** JSON-RPC code of the standard. */
export const METHOD_NOT_FOUND = -32601
/** JSON-RPC code of the standard, here for the refusal of a well-formed request. */
export const INTERNAL_ERROR = -32603

/** A refusal of a message, with the body that every transport sends. */
export function refusal(code: number, problem: Problem, met: Met): ProtocolError {
  return new ProtocolError(code, problem.message, problem.body(met))
}

/** Adds the body that every transport sends to an answer in which the library refuses a whole request. */
export async function withBody(answer: Response, met: Met): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return answer
  const said = (await answer.json()) as { error?: { message: string; data?: object } }
  if (said.error !== undefined) {
    const { message, data } = said.error
    said.error.data = { ...new Problem('BAD_REQUEST', message).body(met), ...data }
  }
  return Response.json(said, { status: answer.status, headers: answer.headers })
}

/**
 * A server that states in a sentence what is wrong with a request’s parameters. The library alone would report most of these as
 * internal errors, with its validator’s dump.
 */
export class StrictServer extends Server {
  /** Called before parameters are refused; set once, right after construction. */
  beforeRefusal: (method: string) => Promise<void> = async () => {}
  /** The request id and the origin for bodies of errors; set once, right after construction. */
  met: Met = { requestId: '', origin: '' }

  protected override _wrapHandler(
    method: string,
    handler: (request: JSONRPCRequest, context: ServerContext) => Promise<Result>,
  ) {
    const wrapped = super._wrapHandler(method, handler)
    return async (request: JSONRPCRequest, context: ServerContext): Promise<Result> => {
      const reason = malformed(method, request)
      if (reason === null) return wrapped(request, context)
      await this.beforeRefusal(method)
      throw refusal(INVALID_PARAMS, new Problem('BAD_REQUEST', reason), this.met)
    }
  }
}

/** The error in the parameters of a request, as a sentence, or null. */
function malformed(method: string, request: JSONRPCRequest): string | null {
  if (!Object.hasOwn(SCHEMAS, method)) return null
  const read = SCHEMAS[method as keyof typeof SCHEMAS]['~standard'].validate(request)
  const [issue] = (read instanceof Promise ? undefined : read.issues) ?? []
  if (issue === undefined) return null
  const { path, reason } = fromZod(issue)
  return `${sentenceOf({ path: path.slice(path.length > 1 ? 1 : 0), reason })}.`
}
