import type { Logger } from 'pino'
import { openStore, type Store } from '../db/client.ts'
import { Launchers } from './bundles/launchers.ts'
import type { Config } from './config.ts'
import type { createAuth } from './identity/auth.ts'
import type { ReadSession } from './identity/identify.ts'
import { sessionReader } from './identity/sessions.ts'
import { Recorder } from './insights/recorder.ts'
import { MemoryBucket } from './limits/memory.ts'
import { Mailer } from './mail.ts'
import { startSweeper } from './sweeper.ts'

/** Everything with a life of its own that operations work on. */
export interface Service {
  config: Config
  log: Logger
  store: Store
  recorder: Recorder
  launchers: Launchers
  /** Anonymous creates and events, by client address (spec 8). */
  addressBucket: MemoryBucket
  /** Sign-in, sign-up and what sends mail, by client address. */
  signInBucket: MemoryBucket
  mailer: Mailer
  readSession: ReadSession
  /** better-auth, loaded when it is first needed. */
  auth(): Promise<ReturnType<typeof createAuth>>
  /** Writes what has been counted and closes the store. */
  stop(): Promise<void>
}

/** Opens the store and starts what runs beside requests. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const store = await openStore(config.database)
  const recorder = await Recorder.start(store, log)
  const mailer = new Mailer(config, log)
  const newBucket = () => new MemoryBucket(config.addressLimit.max, config.addressLimit.windowMs)
  let auth: ReturnType<Service['auth']> | undefined
  const launchers = await Launchers.start(store, log)
  const stopSweeping = startSweeper(store, log)
  return {
    config,
    log,
    store,
    recorder,
    launchers,
    addressBucket: newBucket(),
    signInBucket: newBucket(),
    mailer,
    readSession: sessionReader(store, config),
    async auth() {
      auth ??= import('./identity/auth.ts').then(({ createAuth }) => createAuth(config, store, mailer, log))
      const loading = auth
      const { socialProviders } = await (await loading).$context
      // better-auth asks the OIDC provider where things are once. Where that failed, the next request asks again.
      if (config.oidc !== null && socialProviders.length === 0 && auth === loading) auth = undefined
      return loading
    },
    async stop() {
      launchers.stop()
      stopSweeping()
      await recorder.stop()
      store.close()
    },
  }
}
