import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server'
import { callOptionsOf, callOptionType } from '../api/json-schema.ts'
import { listBundles } from '../bundles/operations.ts'
import { isNear } from '../core/distance.ts'
import type { Issue } from '../core/issue.ts'
import { type Met, Problem, toProblem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'
import { requestId } from '../http/observe.ts'
import { seenAt, seenBy } from '../launcher/seen.ts'
import { countForKey } from '../limits/count-requests.ts'
import { challenge } from '../oauth/resources.ts'
import type { PublicAnswer } from '../operations/answer.ts'
import { execute, respond } from '../operations/execute.ts'
import type { CallContext, Operation } from '../operations/operation.ts'
import { bodyOf } from '../pages/launcher-forms.ts'
import { answerOnce } from './batch.ts'
import { prompts } from './prompts.ts'
import { unquoted, unquotedAs, unwrapped } from './quoted.ts'
import { type Call, offerResources, type ReadLauncher, type ReadList, type ReadVariables } from './resources.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, refusal, StrictServer, withBody } from './strict.ts'
import { isAllowed, isSwitchedOff, isTool, type Tool, toTool } from './tools.ts'

// The Model Context Protocol over the table of operations.

/** JSON-RPC code of a refusal by the rate limit. */
const RATE_LIMITED = -32004
/** Methods that count against the key’s limit, also when they are refused: they read or change the subject’s data. */
const COUNTED = new Set(['tools/call', 'resources/list', 'resources/read', 'completion/complete'])
/** How long clients may keep what changes only with the server’s version. Tools depend on the key’s scopes. */
const KEPT = { ttlMs: 600_000, cacheScope: 'private' } as const
/** Maximum number of open streams. */
const MAX_LISTENERS = 100

/** State of an HTTP request; each message of a batch sets its rate limit headers. */
interface RequestState {
  request: Request
  context: CallContext
  headers: Record<string, string>
  met: Met
  /** Why a message needs another credential. */
  challenge?: string
}

/**
 * Answers requests of the revisions 2025-06-18 and 2025-11-25, and of the stateless 2026-07-28, from one definition.
 * All without sessions.
 */
export async function mcpServer(operations: readonly Operation[], service: Service) {
  const offered = operations.filter((one) => isTool(one) && !isSwitchedOff(one, service.config))
  const tools = new Map(offered.map((operation) => [operation.name, operation]))
  const listed: { operation: Operation; tool: Tool }[] = []
  for (const operation of tools.values()) {
    const since = performance.now()
    listed.push({ operation, tool: toTool(operation) })
    await yieldToEventLoop(since)
  }
  const states = new WeakMap<Request, RequestState>()
  const serve = (state: RequestState) => newServer(state, { tools, listed, service })
  const modern = createMcpHandler(({ requestInfo }) => serve(states.get(requestInfo!)!), {
    legacy: 'reject',
    // Nothing listed here changes while the server runs, so few clients need to listen.
    maxSubscriptions: MAX_LISTENERS,
  })
  service.stopping.addEventListener('abort', () => void modern.close())
  return async (request: Request, message: unknown, context: CallContext): Promise<Response> => {
    const met = { requestId: requestId(request), origin: service.config.origin }
    const state: RequestState = { request, context, headers: {}, met }
    states.set(request, state)
    const answer = (await isLegacyRequest(request, message))
      ? await answerOnce(refusingUnknown(serve(state), met), request, message, met)
      : await modern.fetch(request, { parsedBody: message })
    const told = answer.status < 400 ? answer : await withBody(answer, met)
    for (const [name, value] of Object.entries(state.headers)) told.headers.set(name, value)
    // Of a batch, other messages may have succeeded.
    if (state.challenge === undefined || Array.isArray(message)) return told
    told.headers.set('www-authenticate', challenge(state.challenge, service.config.origin, 'mcp'))
    return new Response(told.body, { status: 403, headers: told.headers })
  }
}

/** For revisions in which a method that does not exist is no error of HTTP; in the others the library answers 404 by itself. */
function refusingUnknown(server: Server, met: Met): Server {
  server.fallbackRequestHandler = ({ method }) => {
    throw refusal(METHOD_NOT_FOUND, new Problem('BAD_REQUEST', `There is no method ${method.slice(0, 100)}.`), met)
  }
  return server
}

interface Offered {
  tools: ReadonlyMap<string, Operation>
  listed: readonly { operation: Operation; tool: Tool }[]
  service: Service
}

function newServer(state: RequestState, { tools, listed, service }: Offered): Server {
  // To launchers, an agent has no account, whoever’s key it has.
  const viewer = { headers: withoutCredentials(state.request.headers), url: '', client: 'agent' as const }
  const context = { ...state.context, viewer }
  const { met } = state
  const { scopes } = context.caller as { scopes: Parameters<typeof isAllowed>[1] }
  const server = new StrictServer(
    {
      name: service.config.name.toLowerCase(),
      title: service.config.name,
      version: '1',
      websiteUrl: service.config.origin,
    },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': KEPT, 'prompts/list': KEPT, 'resources/templates/list': KEPT },
    },
  )
  /** Runs what a message asks for, with what remains of the key’s limit in the answer’s headers. */
  const limited = async <T extends { headers: Record<string, string> }>(name: string, run: () => Promise<T>) => {
    try {
      const sent = await run()
      Object.assign(state.headers, limitsIn(sent.headers))
      return sent
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'INTERNAL_ERROR')
        service.log.error({ err: error, id: met.requestId, tool: name }, 'a call failed')
      Object.assign(state.headers, limitsIn(problem.headers))
      const said = problem.headers['www-authenticate']
      if (said?.startsWith('Bearer')) state.challenge = said
      if (problem.code === 'RATE_LIMITED') throw refusal(RATE_LIMITED, problem, met)
      throw problem
    }
  }
  const call: Call = (operation, input) =>
    limited(operation.name, () => respond(operation, ...splitArguments(operation, input, context), service))
  const rateLimitHeaders = async () => {
    const { caller } = context
    return caller.kind === 'key' ? countForKey(caller.key, service) : {}
  }
  /** Counts a message that asks for nothing there is. */
  const count = (method: string) => limited(method, async () => ({ headers: await rateLimitHeaders() }))
  server.met = met
  server.beforeRefusal = async (method) => {
    if (COUNTED.has(method)) await count(method)
  }
  const readList: ReadList = async (input) => {
    const [decode, options] = splitArguments(listBundles as Operation, input, context)
    return (await limited(listBundles.name, () => execute(listBundles, decode, options, service))).output
  }
  /** What a launcher shows to the agent. */
  const readLauncher: ReadLauncher = (link) =>
    limited('launcher', async () => {
      const headers = await rateLimitHeaders()
      const form = link.form === 'json' ? ('json' as const) : ('markdown' as const)
      return { headers, form, text: await bodyOf(form, await seenAt(link, viewer, service), service) }
    })
  const readVariables: ReadVariables = async (slug) => {
    const seen = await seenBy(viewer, slug, service).catch((error) => {
      if (error instanceof Problem) return null
      throw error
    })
    return seen?.bundle.variables ?? []
  }

  server.setRequestHandler('tools/list', () => ({
    tools: listed.filter(({ operation }) => isAllowed(operation, scopes)).map(({ tool }) => tool),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const operation = tools.get(params.name)
    if (operation === undefined) {
      await count('tools/call')
      throw refusal(
        INVALID_PARAMS,
        new Problem('BAD_REQUEST', `There is no tool ${params.name.slice(0, 100)}${nearTool(params.name, tools)}`),
        met,
      )
    }
    try {
      return succeeded(await call(operation, params.arguments ?? {}))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const structuredContent = error.body(met)
      return { isError: true, content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    }
  })
  const { authority, shortPaths } = service.config
  offerResources(server, { call, count, readList, readLauncher, readVariables, authority, shortPaths, met })
  offerPrompts(server, met)
  return server
}

const INSTRUCTIONS =
  'A bundle is an ordered set of up to 25 URLs behind one link that opens them all. Find a bundle with list_bundles, read ' +
  'it with get_bundle before you edit it, and try an edit with dryRun. Every edit can be undone with restore_version, a ' +
  'deletion with restore_bundle. A failed call says what to do.'

/** Splits a tool’s arguments into the operation’s input and the call options. */
function splitArguments(
  operation: Operation,
  given: Record<string, unknown>,
  context: CallContext,
): [() => unknown, CallContext] {
  const options = callOptionsOf(operation)
  const sent = unwrapped(operation.input, options, given)
  const optionIn = (name: 'idempotencyKey' | 'expectedVersion') =>
    options.includes(name) ? unquotedAs(callOptionType(name), sent[name] ?? null) : null
  const input = Object.fromEntries(
    Object.entries(sent).filter(([name]) => name === 'dryRun' || !options.includes(name as (typeof options)[number])),
  )
  const conditions = () => {
    const [idempotencyKey, expectedVersion] = [optionIn('idempotencyKey'), versionOf(optionIn('expectedVersion'))]
    const isKey = idempotencyKey === null || typeof idempotencyKey === 'string'
    const isVersion = expectedVersion === null || Number.isSafeInteger(expectedVersion)
    const wrong: Issue[] = [
      ...(isKey ? [] : [{ path: ['idempotencyKey'], reason: { code: 'not_an_idempotency_key' } } as const]),
      ...(isVersion ? [] : [{ path: ['expectedVersion'], reason: { code: 'not_a_version' } } as const]),
    ]
    return {
      idempotencyKey: isKey ? idempotencyKey : null,
      expectedVersion: isVersion ? (expectedVersion as number | null) : null,
      wrong,
    }
  }
  const decode = () => {
    const { dryRun, ...own } = input
    const read = unquoted(operation.input, own)
    return dryRun === undefined ? read : { ...read, dryRun: unquotedAs(callOptionType('dryRun'), dryRun) }
  }
  return [decode, { ...context, source: 'mcp', conditions }]
}

/** The tool that a name probably stands for, which calls bundles links. */
function nearTool(name: string, tools: ReadonlyMap<string, unknown>): string {
  const plain = name.slice(0, MAX_TOOL).toLowerCase().replace(/-/g, '_').replace(/link/g, 'bundle')
  const near = [...tools.keys()].find((tool) => isNear(tool, plain))
  return near === undefined ? '.' : `: did you mean ${near}?`
}

/** Longer than any tool’s name. */
const MAX_TOOL = 40

/** The number of a version that was sent as an ETag has it: `v3` or `"v3"`. */
function versionOf(sent: unknown): unknown {
  const [, version] = (typeof sent === 'string' && /^\s*"?v(\d{1,15})"?\s*$/.exec(sent)) || []
  return version === undefined ? sent : Number(version)
}

function succeeded({ body, note }: PublicAnswer) {
  const content = [{ type: 'text' as const, text: JSON.stringify(body) }]
  if (note !== undefined) content.push({ type: 'text', text: note })
  return { content, structuredContent: body as Record<string, unknown> }
}

function withoutCredentials(headers: Headers): Headers {
  const others = new Headers(headers)
  for (const name of ['authorization', 'cookie']) others.delete(name)
  return others
}

function limitsIn(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('ratelimit')))
}

function offerPrompts(server: Server, met: Met): void {
  const refuse = (message: string) => refusal(INVALID_PARAMS, new Problem('BAD_REQUEST', message), met)
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ text: _, ...prompt }) => prompt) }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (prompt === undefined) throw refuse(`There is no prompt ${params.name.slice(0, 100)}.`)
    const given = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name, required }) => required && !given[name]?.trim())
    if (missing !== undefined) throw refuse(`${missing.name} is missing: ${missing.description}`)
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
    }
  })
}
