import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import pLimit from 'p-limit'
import { bodyOf } from '../../views/launcher/launcher/launcher-forms.ts'
import { callOptionsOf, callOptionType } from '../api/json-schema.ts'
import { createBundle, getBundle, listBundles, updateBundle } from '../bundles/edit/operations.ts'
import { previewPolicy } from '../bundles/edit/policy-operations.ts'
import { isNear } from '../core/distance.ts'
import type { Issue } from '../core/issue.ts'
import { type Met, Problem, toProblem } from '../core/problem.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import { requestId } from '../http/request.ts'
import { getInsights } from '../insights/operations.ts'
import { seenAt, seenBy } from '../launcher/seen.ts'
import { countForKey } from '../limits/rate-limits.ts'
import { challenge } from '../oauth/resources.ts'
import { withAlias } from '../operations/bundle-reference.ts'
import { execute, respond } from '../operations/execute.ts'
import type { CallContext, Operation, PublicAnswer } from '../operations/operation.ts'
import { unquoted, unquotedAs, unwrapped } from './quoted.ts'
import { type Call, offerResources, type ReadLauncher, type ReadList, type ReadVariables } from './resources.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, refusal, StrictServer, withBody } from './strict.ts'
import { isAllowed, isSwitchedOff, isTool, type Tool, toTool } from './tools.ts'

// The Model Context Protocol over the table of operations.

/** JSON-RPC code of a refusal by the rate limit. */
const RATE_LIMITED = -32004
/** Methods that count against the key’s limit, also when they are refused: they read or change the subject’s data. */
const COUNTED = new Set(['tools/call', 'resources/list', 'resources/read', 'completion/complete'])
/**
 * How long clients may cache lists that change only with the server’s version. Tools depend on the key’s scopes, hence
 * `private`.
 */
const KEPT = { ttlMs: 600_000, cacheScope: 'private' } as const
/** Maximum number of open streams. */
const MAX_LISTENERS = 100

/** State of an HTTP request; each message of a batch sets its rate limit headers. */
interface RequestState {
  request: Request
  context: CallContext
  headers: Record<string, string>
  met: Met
  /** The challenge for a message that needs another credential. */
  challenge?: string
}

/**
 * Answers requests of the revisions 2025-06-18 and 2025-11-25, and of the stateless 2026-07-28, all from one definition and
 * without sessions.
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
    // In a batch, other messages may have succeeded.
    if (state.challenge === undefined || Array.isArray(message)) return told
    told.headers.set('www-authenticate', challenge(state.challenge, service.config.origin, 'mcp'))
    return new Response(told.body, { status: 403, headers: told.headers })
  }
}

/** Refuses unknown methods in revisions where they are no HTTP error; in the others the library itself answers 404. */
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
  // To launchers, an agent has no account, whatever its key.
  const viewer = { headers: dropCredentials(state.request.headers), url: '', client: 'agent' as const }
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
  /** Runs the request of a message, and puts the rest of the key’s limit into the answer’s headers. */
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
  /** Counts a message that asks for something unknown. */
  const count = (method: string) => limited(method, async () => ({ headers: await rateLimitHeaders() }))
  server.met = met
  server.beforeRefusal = async (method) => {
    if (COUNTED.has(method)) await count(method)
  }
  const readList: ReadList = async (input) => {
    const [decode, options] = splitArguments(listBundles as Operation, input, context)
    return (await limited(listBundles.name, () => execute(listBundles, decode, options, service))).output
  }
  /** Reads a launcher as the agent sees it. */
  const readLauncher: ReadLauncher = (link) =>
    limited('launcher', async () => {
      const headers = await rateLimitHeaders()
      const form = link.form === 'json' ? ('json' as const) : ('markdown' as const)
      return {
        headers,
        form,
        text: await bodyOf(form, await withAlias(link, service.store, (one) => seenAt(one, viewer, service)), service),
      }
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

/** The end of the error for an unknown tool: suggests one with a similar name, also if the name says link for bundle. */
function nearTool(name: string, tools: ReadonlyMap<string, unknown>): string {
  const plain = name.slice(0, MAX_TOOL).toLowerCase().replace(/-/g, '_').replace(/link/g, 'bundle')
  const near = [...tools.keys()].find((tool) => isNear(tool, plain))
  return near === undefined ? '.' : `: did you mean ${near}?`
}

/** Longer than any tool’s name. */
const MAX_TOOL = 40

/** The number of a version that was sent in the form of an ETag, `v3` or `"v3"`; anything else stays as sent. */
function versionOf(sent: unknown): unknown {
  const [, version] = (typeof sent === 'string' && /^\s*"?v(\d{1,15})"?\s*$/.exec(sent)) || []
  return version === undefined ? sent : Number(version)
}

function succeeded({ body, note }: PublicAnswer) {
  const content = [{ type: 'text' as const, text: JSON.stringify(body) }]
  if (note !== undefined) content.push({ type: 'text', text: note })
  return { content, structuredContent: body as Record<string, unknown> }
}

function dropCredentials(headers: Headers): Headers {
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

/** Characters of answers after which the rest of a batch is refused: all are held in memory until the last is there. */
const MAX_CHARACTERS = 4 * 2 ** 20
/** JSON-RPC code of a message that was not processed. */
const BATCH_FULL = -32005
const TOO_MUCH =
  'The answers of this batch are too long together. Nothing was done for this message: send it again by itself.'

/** Answers a message, or a batch, of a revision before 2026-07-28, without session and stream. */
async function answerOnce(server: Server, request: Request, message: unknown, met: Met): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  if (Array.isArray(message)) answerInTurns(transport, met)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

/**
 * Answers the messages of a batch one after the other, with other requests in between, until their answers are too long
 * together. Otherwise a hundred lists of bundles would make an answer of a gigabyte.
 */
function answerInTurns(transport: WebStandardStreamableHTTPServerTransport, met: Met): void {
  const { onmessage } = transport
  const send = transport.send.bind(transport)
  const turns = pLimit(1)
  let characters = 0
  let answered = () => {}
  transport.send = async (answer, options) => {
    try {
      if ('id' in answer) characters += JSON.stringify(answer).length
      await send(answer, options)
    } finally {
      if ('id' in answer) answered()
    }
  }
  transport.onmessage = (message, extra) =>
    void turns(async () => {
      if (!('id' in message && 'method' in message)) return onmessage?.(message, extra)
      const { id } = message
      if (characters > MAX_CHARACTERS) {
        const error = { code: BATCH_FULL, message: TOO_MUCH, data: new Problem('BAD_REQUEST', TOO_MUCH).body(met) }
        return send({ jsonrpc: '2.0', id, error }, { relatedRequestId: id })
      }
      const beganAt = performance.now()
      const isAnswered = new Promise<void>((resolve) => (answered = resolve))
      onmessage?.(message, extra)
      await isAnswered
      await yieldToEventLoop(beganAt)
    })
}

/** A prompt that a user can pick to start an agent on a task. */
interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  /** The instructions to the agent. */
  text(args: Record<string, string>): string
}

const slug = { name: 'slug', description: 'The bundle: the last part of its link.', required: true }

/** The prompts that the service offers. */
export const prompts: readonly Prompt[] = [
  {
    name: 'make_launch_bundle',
    title: 'Make a launch bundle',
    description: 'Collect links for an occasion and put them behind one link.',
    arguments: [
      { name: 'purpose', description: 'What the links are for, and for whom.', required: true },
      { name: 'links', description: 'The links, one per line; leave it empty to have them found.', required: false },
    ],
    text: ({ purpose = '', links = '' }) =>
      `Make a launch bundle for this purpose:\n\n${purpose}\n\n` +
      (links.trim() === ''
        ? 'Find the links that serve it best; ask me if you are not sure. '
        : `Use these links:\n\n${links}\n\n`) +
      'Put them in reading order, 25 at most. Give the bundle a short title and, if it helps, a description, and each ' +
      'link a note that says what it is for. Set openPolicy to manual for links that are only for reference. ' +
      `Call ${createBundle.name} with dryRun first, show me the list, and create the bundle once I agree. ` +
      'Then give me its link (`url` in the answer).',
  },
  {
    name: 'write_policy',
    title: 'Write a policy for a bundle',
    description: 'Show different viewers of a bundle different tabs.',
    arguments: [slug, { name: 'audience', description: 'Who should see what.', required: true }],
    text: ({ slug = '', audience = '' }) =>
      `Write the policy of the bundle ${slug}: ${audience}\n\n` +
      `Read the bundle with ${getBundle.name} first and keep its existing rules, with their ids, unless they conflict. ` +
      'Rules are tried in order and the first match wins, so put specific rules before general ones. ' +
      `Test the draft with ${previewPolicy.name}: one viewer for each rule, and one who matches none. Fix what its ` +
      `warnings name. Show me what each viewer gets; save it with ${updateBundle.name} once I agree.`,
  },
  {
    name: 'explain_insights',
    title: 'Explain how a bundle is used',
    description: 'Explain the counts of a bundle in plain words.',
    arguments: [slug, { name: 'range', description: '7d, 30d or 90d.', required: false }],
    text: ({ slug = '', range = '30d' }) =>
      `Explain to me how the bundle ${slug} is used. Call ${getInsights.name} with range ${range}, and ${getBundle.name} for ` +
      'its content. Say how many viewed it and how many opened all tabs, how that changed over time and since the ' +
      'period before, where viewers came from, and which rules did well. If the counts are too small to mean much, say so. uniqueViewerDays is the sum of each day’s distinct viewers, ' +
      'so it is not a number of people. End with what I could change.',
  },
]
