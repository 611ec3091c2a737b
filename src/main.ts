import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { toProblem } from './core/problem.ts'
import { jsonProblem } from './http/respond.ts'
import type { Handle } from './launcher/front-door.ts'
import { openLog } from './log.ts'
import { startService } from './service.ts'
import { BadSetting, blame } from './settings.ts'

// The only file that names a runtime.

/** The part of Deno's API that is used here: its types are not installed. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void; onError(error: unknown): Response },
    handle: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { shutdown(): Promise<void> }
}

/** Files this process creates (database, log, secret, backups) are readable by its user alone. */
const OWNER_ONLY = 0o077

/** Time that requests in progress get to finish after a stop signal (decisions 12). */
const STOP_WITHIN_MS = 10_000
const IDLE_TIMEOUT_SECONDS = 30

/** The start is usually over by then. */
const STARTED_WITHIN_MS = 1_000

interface Listening {
  /** Stops accepting connections; resolves when requests in progress have finished. */
  close(): Promise<unknown>
  /** Closes the connections that are still open. */
  cut(): Promise<unknown>
}

function listen({ port, host }: Config, handle: Handle, failed: (error: unknown) => Response): Listening {
  if ('Bun' in globalThis) {
    const server = Bun.serve({
      port,
      hostname: host,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Bodies are capped while they are read (http/body.ts), with a JSON error; Bun's own 413 has no body.
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

  // Frees about 2 MB: code that ran once at the start, and its garbage.
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

/** Runs a command of the operator's (src/operator/command.ts) instead of the service. */
async function runAdminCommand(args: readonly string[]): Promise<void> {
  const { operate } = await import('./operator/command.ts')
  const result = await operate(args, process.env)
  if ('text' in result) console.log(result.text)
  else {
    console.error(`${result.error}.`)
    if (result.usage !== undefined) console.error(`\n${result.usage}`)
    process.exitCode = 1
  }
}

process.umask(OWNER_ONLY)
const args = process.argv.slice(2)
const running = args.length === 0 ? start() : runAdminCommand(args)
running.catch((error) => {
  console.error(error instanceof BadSetting ? `${error.message}.` : error)
  process.exit(1)
})
