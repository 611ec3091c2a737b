import type { Logger } from 'pino'

/**
 * The long-lived parts of the process, which operations and pages use. Each floor declares its own parts beside the class or
 * function that makes them (`declare module`), so code on a lower floor can be read, compiled and tested without the higher ones.
 * `src/runtime/service.ts` makes them all.
 */
export interface Service {
  log: Logger
  /** Aborted when shutdown begins, to end waits without a timeout. */
  stopping: AbortSignal
}
