import { DrizzleQueryError } from 'drizzle-orm/errors'
import { type DestinationStream, type LogFn, type Logger, pino, stdSerializers } from 'pino'
import type { Config } from '../config/config.ts'
import { escapeControls } from '../core/text.ts'
import { formatInteger } from '../core/words.ts'

/**
 * JSON lines, to standard output unless `destination` is given. Never log addresses, tokens, cookies or bodies: log ids, route
 * patterns (not paths, which may contain tokens), statuses and errors. Of warnings and errors with the same message, one line per
 * second is written (`Repeats`), so put varying parts into fields.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const repeats = new Repeats()
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: dropValues },
    // Escaped, so that logged text cannot control the reader’s terminal.
    hooks: {
      streamWrite: escapeControls,
      logMethod(this: Logger, sent: Parameters<LogFn>, method: LogFn, severity: number) {
        if (severity < pino.levels.values.warn!) return method.apply(this, sent)
        const args: unknown[] = sent
        const at = typeof args[0] === 'string' ? 0 : 1
        const message = String(args[at] ?? '')
        repeats.write(message, (more) => {
          const told = more === 0 ? args : args.with(at, `${message} … and ${formatInteger(more)} more like this`)
          method.apply(this, told as Parameters<LogFn>)
        })
      },
    },
  }
  if (destination !== undefined) return pino(options, destination)
  // The reader of the log (`| logger`) may exit; an unhandled error would end the process.
  process.stdout.on('error', () => {})
  process.on('exit', () => repeats.end())
  return pino(options)
}

const LINE_EVERY_MS = 1_000
/** Maximum kinds at one time. The service has fewer messages of its own; a library’s may contain sent text. */
const MAX_KINDS = 100

/** Writes a line, with the number of lines that it stands for. */
type Write = (more: number) => void

/**
 * Passes one line per second of each kind, so that nobody can fill the disk with refused requests. Of further lines within the
 * second, the last is written at its end, with their number.
 */
class Repeats {
  /** The kinds with a line in the last second, and the lines since. */
  readonly #kinds = new Map<string, { held: number; last: Write }>()

  write(message: string, line: Write): void {
    const isTold = this.#kinds.has(message) || this.#kinds.size < MAX_KINDS
    const kind = isTold ? message : ''
    const open = this.#kinds.get(kind)
    if (open === undefined) this.#begin(kind, line, 0)
    else {
      open.held += 1
      open.last = line
    }
  }

  /** Writes the held lines at the end of the process. */
  end(): void {
    for (const { held, last } of this.#kinds.values()) if (held > 0) last(held - 1)
    this.#kinds.clear()
  }

  #begin(kind: string, line: Write, more: number): void {
    const open = { held: 0, last: line }
    this.#kinds.set(kind, open)
    const timer = setTimeout(() => {
      this.#kinds.delete(kind)
      if (open.held > 0) this.#begin(kind, open.last, open.held - 1)
    }, LINE_EVERY_MS)
    timer.unref()
    line(more)
  }
}

/**
 * Announces the address of the service. In a terminal, on separate lines, with what anybody may do there until the settings are
 * changed; otherwise as a line of the log.
 */
export function sayStarted({ name, origin, signUp, anonymousBundles }: Config, log: Logger): void {
  if (!process.stdout.isTTY) {
    log.info({ address: origin }, `${name} is at ${origin}`)
    return
  }
  const lines = [
    `${name} is at ${origin}`,
    ...(signUp === 'open' ? ['Anyone may sign up: SERVICE_SIGN_UP=invited, or closed, changes that.'] : []),
    ...(anonymousBundles
      ? ['Anyone may create bundles without an account: SERVICE_ANONYMOUS_BUNDLES=off changes that.']
      : []),
  ]
  process.stdout.write(escapeControls(`${lines.join('\n')}\n`))
}

/** An error for the log, without the values of a failed query, which may be addresses or tokens. */
function dropValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error instanceof Error ? stdSerializers.err(error) : error
  return { query: error.query, cause: dropValues(error.cause) }
}
