import { DrizzleQueryError } from 'drizzle-orm/errors'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import type { Config } from '../config/config.ts'
import { escapeControls } from '../core/text.ts'

/**
 * JSON lines, to standard output unless `destination` is given. Never log addresses, tokens, cookies or bodies: log
 * ids, route patterns (not paths, which may contain tokens), statuses and errors.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: withoutValues },
    // Escaped, so that logged text cannot control the reader’s terminal.
    hooks: { streamWrite: escapeControls },
  }
  if (destination !== undefined) return pino(options, destination)
  // Whoever read the log (`| logger`) may go away; an error that nobody handles would end the process.
  process.stdout.on('error', () => {})
  return pino(options)
}

/**
 * Says where the service is. To somebody who starts it in a terminal on lines of their own, with what anybody may do there as
 * long as nobody has changed it; to everything else that reads the log as one of its lines.
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

/** An error for the log, without a failed query’s values, which may be addresses or tokens. */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error instanceof Error ? stdSerializers.err(error) : error
  return { query: error.query, cause: withoutValues(error.cause) }
}
