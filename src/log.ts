import { type Logger, pino } from 'pino'

/**
 * JSON lines on standard output. No address, token, cookie or body may be logged: log ids, routes as they stand
 * in the table (never the path, which may hold a token), statuses and errors.
 */
export function openLog(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}
