import { DrizzleQueryError } from 'drizzle-orm/errors'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
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

/** An error for the log, without a failed query’s values, which may be addresses or tokens. */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error instanceof Error ? stdSerializers.err(error) : error
  return { query: error.query, cause: withoutValues(error.cause) }
}
