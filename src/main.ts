import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { BadSetting, settingError, UnusableSetting } from './config/settings.ts'
import type { Handle } from './http/health.ts'
import { DRAW_ICONS, DRAW_PICTURES } from './icons/drawing.ts'

// The only file that names a runtime. Only `start` loads the server, because containers run `health` every few seconds.

/** The part of Deno’s API used here; its types are not installed. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void; onError(error: unknown): Response },
    handle: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
  ): { shutdown(): Promise<void> }
}

/** Files created by this process (database, log, secret, backups) are readable only by its user. */
const OWNER_ONLY = 0o077

/** How long requests in progress may take to finish after a stop signal. */
const STOP_WITHIN_MS = 10_000
const IDLE_TIMEOUT_SECONDS = 30

/** EX_CONFIG of sysexits.h, after which deploy/openall.service does not restart it: only an edit of the settings helps. */
const WRONG_SETTING = 78

/** When startup is usually over. */
const STARTED_WITHIN_MS = 1_000

interface Listening {
  /** Stops accepting connections; resolves when requests in progress have finished. */
  close(): Promise<unknown>
  /** Closes remaining connections at once. */
  closeNow(): Promise<unknown>
}

function listen(
  { port, host }: Pick<Config, 'port' | 'host'>,
  handle: Handle,
  failed: (error: unknown) => Response,
): Listening {
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
    return {
      close: () => Promise.race([server.stop(), quiet(() => server.pendingRequests)]).then(() => server.stop(true)),
      closeNow: () => server.stop(true),
    }
  }
  const server = Deno.serve({ port, hostname: host, onListen: () => {}, onError: failed }, (request, info) =>
    handle(request, () => info.remoteAddr.hostname),
  )
  return { close: () => server.shutdown(), closeNow: async () => {} }
}

/** Resolves when no request has been pending for half a second: Bun also waits for connections that have sent nothing. */
async function quiet(pending: () => number): Promise<void> {
  for (let looks = 0; looks < 10; looks = pending() === 0 ? looks + 1 : 0) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function start(): Promise<void> {
  const [
    { createApp },
    { readConfig },
    { toProblem },
    { jsonProblem },
    { openLog, sayStarted },
    { notifySystemd },
    { startService },
  ] = await Promise.all([
    import('./runtime/app.ts'),
    import('./config/config.ts'),
    import('./core/problem.ts'),
    import('./http/respond.ts'),
    import('./runtime/log.ts'),
    import('./runtime/notify.ts'),
    import('./runtime/service.ts'),
  ])
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  const service = await startService(config, log)
  const failed = (error: unknown) => {
    const requestId = randomUUID()
    log.error({ err: error, id: requestId }, 'a request failed outside the app')
    return jsonProblem(toProblem(error), { requestId, origin: config.origin })
  }
  const tryToListen = (at: Pick<Config, 'port' | 'host'>, handle: Handle, host: string, port: string) => {
    try {
      return listen(at, handle, failed)
    } catch (error) {
      const isTaken = (error as { code?: string }).code === 'EADDRINUSE'
      throw isTaken
        ? new UnusableSetting(`Port ${at.port} is in use: set ${port} to another`)
        : settingError(`${host} or ${port}`, error)
    }
  }
  const waiting: (() => Promise<unknown>)[] = []
  const app = createApp(service, (work) => waiting.push(work))
  // What a first request loaded would hold up all others. An identity provider that does not answer is asked again by those who
  // sign in.
  const auth = service.auth()
  if (config.oidc === null) await auth
  else auth.catch((error) => log.warn({ err: error }, 'the identity provider does not answer'))
  const server = tryToListen(config, app, 'HOST', 'PORT')
  const { metricsListener } = config
  if (metricsListener !== null) {
    const { metricsApp } = await import('./http/health.ts')
    tryToListen(metricsListener, metricsApp(service), 'SERVICE_METRICS_HOST', 'SERVICE_METRICS_PORT')
  }
  sayStarted(config, log)
  notifySystemd('READY=1', log)
  void prepare(waiting, log)

  // Frees about 2 MB of startup code and garbage. Once, because it also discards the code that the JIT has compiled.
  if ('Bun' in globalThis) setTimeout(() => Bun.shrink(), STARTED_WITHIN_MS).unref()

  let isStopping = false
  const stop = async (drainMs: number) => {
    if (isStopping) return
    isStopping = true
    const timeout = new Promise<'timeout'>((resolve) => setTimeout(resolve, STOP_WITHIN_MS, 'timeout'))
    service.announceStop()
    notifySystemd('STOPPING=1', log)
    if (drainMs > 0) {
      log.info('draining')
      await new Promise((resolve) => setTimeout(resolve, drainMs))
    }
    log.info('stopping')
    if ((await Promise.race([server.close(), timeout])) === 'timeout') await server.closeNow()
    await service.stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', () => stop(config.drainMs))
  // From a terminal: there is no proxy to drain, and a person is waiting.
  process.on('SIGINT', () => stop(0))
}

/** What this program draws for the process that has started it, by its argument (src/icons/drawing.ts). */
const DRAWN: Record<string, () => Promise<void>> = {
  [DRAW_ICONS]: async () => (await import('./icons/draw-process.ts')).drawIcons(),
  [DRAW_PICTURES]: async () => (await import('../views/launcher/launcher/picture-process.ts')).drawPictures(),
}

/** Makes what nobody has asked for yet, one thing after another. What fails is tried again by the request that needs it. */
async function prepare(waiting: readonly (() => Promise<unknown>)[], log: Logger): Promise<void> {
  for (const work of waiting) await work().catch((error) => log.error({ err: error }, 'a document could not be made'))
}

/** What the shell expects where a command was not understood, as opposed to refused or failed. */
const WRONG_USAGE = 2

/** Runs an operator’s command (src/operator/command.ts) instead of the service. */
async function runAdminCommand(args: readonly string[]): Promise<void> {
  const { operate, sentence } = await import('./operator/command.ts')
  const result = await operate(args, process.env)
  if ('error' in result) {
    console.error(`${result.error}.`)
    if (result.usage !== undefined) console.error(`\n${result.usage}`)
    process.exitCode = result.usage === undefined ? 1 : WRONG_USAGE
    return
  }
  process.exitCode = result.hasFailed ? 1 : 0
  // Whoever reads it may have seen enough (`| head`).
  process.stdout.on('error', () => process.exit())
  try {
    for await (const part of result.parts) if (!process.stdout.write(part)) await once(process.stdout, 'drain')
  } catch (error) {
    console.error(`${sentence(error)}.`)
    process.exitCode = 1
  }
}

/** The executable unpacks libSQL's native library into the temporary directory and loads it from there. */
const NO_EXEC = `libSQL's native library cannot be loaded from ${tmpdir()}: mount that with \`exec\`, or set TMPDIR to a folder that is.`

function isNoExec(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
}

process.umask(OWNER_ONLY)
const args = process.argv.slice(2)
// The executable also names the file that was to be run. Only a process that this program has started has `send`: a slug may be
// called like the argument.
const draw = process.send === undefined ? undefined : DRAWN[args.at(-1) ?? '']
const running = draw?.() ?? (args.length === 0 ? start() : runAdminCommand(args))
running.catch((error) => {
  console.error(error instanceof BadSetting ? `${error.message}.` : isNoExec(error) ? NO_EXEC : error)
  process.exit(error instanceof BadSetting && !(error instanceof UnusableSetting) ? WRONG_SETTING : 1)
})
