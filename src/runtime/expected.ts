import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Store } from '../../db/client.ts'
import { type Instance, noteStart, readInstance } from '../../db/instance.ts'
import { type Config, databaseFile } from '../config/config.ts'
import { DAY_MS, iso } from '../core/time.ts'

/** A first start creates the secret and then the database, within seconds. */
const FIRST_START_MS = 5 * 60_000

/** A new part where an existing one was expected, and advice. */
export interface Unexpected {
  what: 'database' | 'secret'
  says: string
}

type Known = Pick<Config, 'database' | 'secret'>

/**
 * Finds the parts (database, secret) that are less than a day old although there is evidence of earlier ones. A new volume
 * without any trace of the old one looks like a first start here: `deploy/alerts.yml` notices it by its own history.
 */
export function unexpectedIn({ createdAt, secretChangedAt }: Instance, { database }: Known, now: number): Unexpected[] {
  const found: Unexpected[] = []
  const file = databaseFile(database.url)
  const secretAt = file === null ? undefined : statSync(`${file}.secret`, { throwIfNoEntry: false })?.mtimeMs
  if (secretAt !== undefined && now - createdAt < DAY_MS && createdAt - secretAt > FIRST_START_MS)
    found.push({
      what: 'database',
      says: `The database was made ${iso(createdAt)}, and its secret ${file}.secret is older: if there was a database before, mount it or restore it (docs/self-hosting.md).`,
    })
  if (secretChangedAt !== null && now - secretChangedAt < DAY_MS)
    found.push({
      what: 'secret',
      says: `Since ${iso(secretChangedAt)} another secret is used than before, which signed everybody out: put the earlier one back (SERVICE_SECRET, or the file .secret beside the database), unless you changed it on purpose.`,
    })
  return found
}

/** Records the start in the database, and logs surprises. */
export async function watchExpected(store: Store, config: Known, log: Logger) {
  const instance = await noteStart(store, config.secret, Date.now()).catch(async (error: unknown) => {
    // A database that takes no writes is still served.
    log.warn({ err: error }, 'the start could not be noted in the database')
    return readInstance(store, config.secret)
  })
  for (const { what, says } of unexpectedIn(instance, config, Date.now())) log.warn({ what }, says)
  return { createdAt: instance.createdAt, unexpected: () => unexpectedIn(instance, config, Date.now()) }
}
