import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import pLimit from 'p-limit'
import { type Met, Problem } from '../core/problem.ts'
import { yieldToEventLoop } from '../core/yield-to-event-loop.ts'

/** Characters of answers after which the rest of a batch is refused: all are held in memory until the last is there. */
const MAX_CHARACTERS = 4 * 2 ** 20
/** JSON-RPC code of a message that was not looked at. */
const BATCH_FULL = -32005
const TOO_MUCH =
  'The answers of this batch are too long together. Nothing was done for this message: send it again by itself.'

/** Answers a message, or a batch, of a revision before 2026-07-28, without session and stream. */
export async function answerOnce(server: Server, request: Request, message: unknown, met: Met): Promise<Response> {
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
 * Has the messages of a batch answered one after the other, with other requests in between, until their answers are too
 * long together. Otherwise a hundred lists of bundles would make an answer of a gigabyte.
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
