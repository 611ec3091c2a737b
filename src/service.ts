import type { Logger } from 'pino'
import { openStore, type Store } from '../db/client.ts'
import { Launchers } from './bundles/launchers.ts'
import { blame, type Config } from './config.ts'
import type { startAuth } from './identity/auth.ts'
import type { Credentials } from './identity/identify.ts'
import { sessionReader } from './identity/sessions.ts'
import { Recorder } from './insights/recorder.ts'
import { KeyRing } from './keys/keys.ts'
import type { Bucket, Limit } from './limits/bucket.ts'
import { MemoryBucket } from './limits/memory.ts'
import { Mailer } from './mail.ts'
import { startSweeping } from './sweep.ts'

/** Everything with a life of its own that operations work on. */
export interface Service {
  config: Config
  log: Logger
  store: Store
  recorder: Recorder
  launchers: Launchers
  /** Where requests are counted against limits. */
  bucket: Bucket
  limits: {
    /** Anonymous creates and events, by client address (spec 8). */
    address: Limit
    /** Sign-in, sign-up and what sends mail, by client address. */
    signIn: Limit
    /** The same by the account that is tried, wherever from. */
    account: Limit
  }
  mailer: Mailer
  readSession: Credentials['readSession']
  keyRing: KeyRing
  /** better-auth, loaded when it is first needed. */
  auth(): ReturnType<typeof startAuth>
  /** Writes what has been counted and closes the store. */
  stop(): Promise<void>
}

/** Opens the store and starts what runs beside requests. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const store = await openStore(config.database).catch((error) => {
    throw blame('DATABASE_URL', error)
  })
  const recorder = await Recorder.start(store, log)
  const mailer = new Mailer(config, log)
  const keyRing = new KeyRing(store, log)
  const memory = new MemoryBucket()
  const redis =
    config.redisUrl === undefined
      ? null
      : await (await import('./limits/redis.ts')).RedisBucket.connect(config.redisUrl, config.secret, memory, log)
  let auth: ReturnType<Service['auth']> | undefined
  const launchers = await Launchers.start(store, log)
  const stopSweeping = startSweeping(store, log)
  return {
    config,
    log,
    store,
    recorder,
    launchers,
    bucket: redis ?? memory,
    limits: {
      address: { name: 'address', ...config.addressLimit },
      signIn: { name: 'sign-in', ...config.addressLimit },
      account: { name: 'account', ...config.addressLimit },
    },
    mailer,
    keyRing,
    readSession: sessionReader(store, config),
    async auth() {
      auth ??= import('./identity/auth.ts').then(({ startAuth }) => startAuth(config, store, mailer, log))
      const loading = auth
      const { socialProviders } = await (await loading).$context
      // better-auth asks the OIDC provider where things are once. Where that failed, the next request asks again.
      if (config.oidc !== null && socialProviders.length === 0 && auth === loading) auth = undefined
      return loading
    },
    async stop() {
      stopSweeping()
      launchers.stop()
      await recorder.stop()
      await keyRing.stop()
      redis?.close()
      await store.close()
    },
  }
}
