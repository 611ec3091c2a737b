import { createApp } from './app.ts'
import { BadSetting, blame, type Config, readConfig } from './config.ts'
import { toProblem } from './core/problem.ts'
import { jsonProblem } from './http/respond.ts'
import type { Handle } from './launcher/front-door.ts'
import { openLog } from './log.ts'
import { startService } from './service.ts'

// The only file that names a runtime.

/** What is used of Deno, whose types are not installed. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void; onError(error: unknown): Response },
    handle: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { shutdown(): Promise<void> }
}

/** What this process makes is its owner's alone: the database and its log, its secret, copies of them, and folders. */
const OWNER_ALONE = 0o077

/** How long requests that are under way may take to end once the server is told to stop (decisions 12). */
const STOP_WITHIN_MS = 10_000
const IDLE_TIMEOUT_SECONDS = 30

/** By then the start is over, as a rule. */
const STARTED_WITHIN_MS = 1_000

interface Listening {
  /** Stops accepting, and resolves when what runs has ended. */
  close(): Promise<unknown>
  /** Ends what still runs. */
  cut(): Promise<unknown>
}

function listen({ port, host }: Config, handle: Handle, failed: (error: unknown) => Response): Listening {
  if ('Bun' in globalThis) {
    const server = Bun.serve({
      port,
      hostname: host,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Bodies are capped while they are read, with an answer that says so; Bun's own refusal is empty.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, bun) => handle(request, () => bun.requestIP(request)?.address ?? ''),
      error: failed,
    })
    return { close: () => server.stop(), cut: () => server.stop(true) }
  }
  const server = Deno.serve({ port, hostname: host, onListen: () => {}, onError: failed }, (request, info) =>
    handle(request, () => info.remoteAddr.hostname),
  )
  return { close: () => server.shutdown(), cut: async () => {} }
}

function tryToListen(...how: Parameters<typeof listen>): Listening {
  try {
    return listen(...how)
  } catch (error) {
    throw blame('HOST or PORT', error)
  }
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  const service = await startService(config, log)
  const server = tryToListen(config, createApp(service), (error) => {
    log.error({ err: error }, 'a request failed outside the app')
    return jsonProblem(toProblem(error))
  })
  log.info({ address: config.origin }, `${config.name} is at ${config.origin}`)

  // Two megabytes that only the start needed: code that runs once, and what it left behind.
  if ('Bun' in globalThis) setTimeout(() => Bun.shrink(), STARTED_WITHIN_MS).unref()

  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    log.info('stopping')
    service.announceStop()
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, STOP_WITHIN_MS, 'late'))
    if ((await Promise.race([server.close(), late])) === 'late') await server.cut()
    await service.stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** With words after it the service is not started: they are the operator's (src/operator/command.ts). */
async function obey(words: readonly string[]): Promise<void> {
  const { operate } = await import('./operator/command.ts')
  const done = await operate(words, process.env)
  if ('text' in done) console.log(done.text)
  else {
    console.error(`${done.error}.`)
    if (done.usage !== undefined) console.error(`\n${done.usage}`)
    process.exitCode = 1
  }
}

process.umask(OWNER_ALONE)
const words = process.argv.slice(2)
const running = words.length === 0 ? start() : obey(words)
running.catch((error) => {
  console.error(error instanceof BadSetting ? `${error.message}.` : error)
  process.exit(1)
})
