import { DrizzleQueryError } from 'drizzle-orm/errors'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { visible } from './core/text.ts'

/**
 * JSON lines, on standard output unless `destination` takes them. No address, token, cookie or body may be logged: log ids, routes as they stand
 * in the table (never the path, which may hold a token), statuses and errors.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: withoutValues },
    // Whoever reads the log at a terminal reads it as it was written, whatever a text in it would have that do.
    hooks: { streamWrite: visible },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** An error for the log. A failed query carries its values, which may be addresses or tokens: they are left out. */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error instanceof Error ? stdSerializers.err(error) : error
  return { query: error.query, cause: withoutValues(error.cause) }
}
