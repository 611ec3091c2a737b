import type { Logger } from 'pino'
import { openStore, type Store } from '../db/client.ts'
import { Launchers } from './bundles/launchers.ts'
import { blame, type Config } from './config.ts'
import { Recorder } from './insights/recorder.ts'
import { MemoryBucket } from './limits/memory.ts'

/** Everything with a life of its own that operations work on. */
export interface Service {
  config: Config
  log: Logger
  store: Store
  recorder: Recorder
  launchers: Launchers
  /** Anonymous creates and events, by client address (spec 8). */
  addressBucket: MemoryBucket
  /** Writes what has been counted and closes the store. */
  stop(): Promise<void>
}

/** Opens the store and starts what runs beside requests. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const store = await openStore(config.database).catch((error) => {
    throw blame('DATABASE_URL', error)
  })
  const recorder = await Recorder.start(store, log)
  const launchers = await Launchers.start(store, log)
  return {
    config,
    log,
    store,
    recorder,
    launchers,
    addressBucket: new MemoryBucket(config.addressLimit.max, config.addressLimit.windowMs),
    async stop() {
      launchers.stop()
      await recorder.stop()
      store.close()
    },
  }
}
