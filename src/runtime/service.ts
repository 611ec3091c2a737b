import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { openStore } from '../../db/client.ts'
import { OtherVersion } from '../../db/migrate.ts'
import { MigrationFailed } from '../../db/migrator.ts'
import { BlockedHosts } from '../abuse/hosts.ts'
import { AccountMails } from '../accounts/account-mails.ts'
import { startAuth } from '../accounts/auth.ts'
import { SearchIndex } from '../bundles/list/search.ts'
import { brokenLinkMails, LinkChecks } from '../checks/link-checks.ts'
import { type Config, databaseFault, databaseFile } from '../config/config.ts'
import { closeToOthers, fileFault, keepPrivate } from '../config/files.ts'
import { BadSetting, SETTINGS, settingError, UnusableSetting } from '../config/settings.ts'
import { type Loop, repeat } from '../core/scheduling.ts'
import type { Service } from '../core/service.ts'
import { Tally } from '../http/request.ts'
import { Drawing } from '../icons/drawing.ts'
import type { PasswordCost } from '../identity/passwords.ts'
import { Proofs } from '../identity/proof.ts'
import { sessionReader } from '../identity/sessions.ts'
import { SiteIconFinder } from '../inspection/site-icons.ts'
import { EndingKeys, keyEndMails } from '../keys/end-mails.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { Launchers } from '../launcher/launchers.ts'
import { Recorder } from '../launcher/recorder.ts'
import { type Bucket, type Decision, type Limit, limitsOf } from '../limits/rate-limits.ts'
import { MemoryBucket } from '../limits/steps.ts'
import { Mailer } from '../mail/mailer.ts'
import { Notices } from '../mail/notices.ts'
import { proposalMails } from '../proposals/mail-kinds.ts'
import { retentionRules } from '../retention/rules.ts'
import { Sweeper } from '../retention/sweep.ts'
import { Outbox } from '../webhooks/outbox.ts'
import { Backups } from './backups.ts'
import type { Broadcast } from './broadcast.ts'
import { watchExpected } from './expected.ts'

/** How often limits forget addresses that they no longer need. */
const FORGET_EVERY_MS = 60_000

/** The service with the process's own methods. */
interface RunningService extends Service {
  /** Begins the shutdown. */
  announceStop(): void
  /** Writes pending counts and closes the store. */
  stop(): Promise<void>
}

/**
 * Opens the store and starts the background work.
 * @param passwordCost a lower cost of password hashes, only for tests, which create many accounts. There is no setting
 * for it.
 */
export async function startService(config: Config, log: Logger, passwordCost?: PasswordCost): Promise<RunningService> {
  const blockedHosts = openBlockedHosts(config, log)
  const files = restrictFiles(config)
  if (files.length > 0)
    log.warn({ files }, 'these files belong to another user and may be readable by others: chmod 600 them')
  const tally = new Tally()
  let searchIndex: SearchIndex | undefined
  let siteIcons: SiteIconFinder | undefined
  const committed = (seconds: number, writes: number) => {
    tally.commit?.(seconds, writes)
    searchIndex?.wake()
    siteIcons?.wake()
  }
  const tell = (progress: string) => log.info(progress)
  const store = await openStore(config.database, committed, tell).catch((error) => {
    const file = databaseFile(config.database.url)
    // Only another version or another file helps: starting again would not.
    if (error instanceof OtherVersion || error.code === 'SQLITE_NOTADB')
      throw new BadSetting(`DATABASE_URL must name a database of this version: ${error.message}`)
    throw error instanceof MigrationFailed
      ? new UnusableSetting(error.message)
      : settingError('DATABASE_URL', error, file === null ? null : databaseFault(file))
  })
  const expected = await watchExpected(store, config, log)
  const recorder = await Recorder.start(store, log, Date.now, config.countFlushMs, config)
  const mailer = new Mailer(config, store, log)
  // Loaded now, so that the first mail need not wait for it.
  if (config.smtpUrl !== undefined) await import('nodemailer')
  const memory = new MemoryBucket()
  const forgetting = repeat(FORGET_EVERY_MS, () => memory.forget(), log, 'limits could not forget addresses')
  const redis =
    config.redisUrl === undefined
      ? null
      : await (await import('../limits/redis.ts')).RedisBucket.connect(config.redisUrl, config.secret, memory, log)
  let broadcast: Broadcast | undefined
  const keyRing = new KeyRing(store, log, async () => broadcast?.publish('keys'))
  if (config.redisUrl !== undefined) {
    const { Broadcast } = await import('./broadcast.ts')
    broadcast = await Broadcast.open(config.redisUrl, config.secret, { keys: () => keyRing.forgetHere() })
  }
  let auth: ReturnType<Service['auth']> | undefined
  const launchers = await Launchers.start(store, log, blockedHosts, config.cacheBytes, config.icons)
  blockedHosts.watch(() => launchers.clear())
  const bucket = counted(redis ?? memory, tally)
  const proofs = new Proofs(store, () => keyRing.forget())
  const accountMails = new AccountMails(config, store, mailer, bucket, log)
  const accounts = async () => ({ proofs, accountMails })
  const sweeper = new Sweeper(store, log, retentionRules(config))
  const outbox = new Outbox(store, config, log, accounts)
  const kinds = {
    ...proposalMails(store, config),
    keyEnds: keyEndMails(store, config),
    linksBroken: brokenLinkMails(store, config),
  }
  const notices = new Notices(store, kinds, mailer, bucket, log)
  const endingKeys = new EndingKeys(store, mailer, log)
  const linkChecks = new LinkChecks(store, config, mailer, blockedHosts, log)
  const backups = config.backups === null ? null : openBackups(config.backups, log)
  searchIndex = new SearchIndex(store, log)
  siteIcons = new SiteIconFinder(store, config, log)
  const pictures = new Drawing('picture')
  const metrics =
    config.metricsToken === undefined && config.metricsListener === null
      ? null
      : (await import('./metrics.ts')).openMetrics({
          tally,
          launchers,
          recorder,
          sweeper,
          outbox,
          mails: mailer.outbox,
          store,
          storeFile: databaseFile(config.database.url),
          backups,
          redis,
          expected,
        })
  sweeper.start()
  outbox.start()
  mailer.outbox?.start()
  notices.start()
  endingKeys.start()
  linkChecks.start()
  siteIcons.start()
  const descriptors = watchDescriptors(log)
  backups?.start()
  const stopping = new AbortController()
  return {
    config,
    log,
    store,
    recorder,
    launchers,
    blockedHosts,
    siteIcons,
    pictures,
    bucket,
    tally,
    metrics,
    limits: limitsOf(config),
    mailer,
    keyRing,
    invalidate: { launcher: (slug) => launchers.drop(slug), keys: () => keyRing.forget() },
    readSession: sessionReader(store, config),
    stopping: stopping.signal,
    announceStop: () => stopping.abort(),
    accounts,
    passwordCost,
    async auth() {
      auth ??= startAuth({ config, store, mailer, proofs, accountMails, log, passwordCost })
      const loading = auth
      const { socialProviders } = await (await loading).$context
      // better-auth discovers the OIDC provider only once. If that failed, the next request tries again.
      if (config.oidc !== null && socialProviders.length === 0 && auth === loading) auth = undefined
      return loading
    },
    async stop() {
      await descriptors?.stop()
      await forgetting.stop()
      const isSwept = sweeper.stop()
      await Promise.all([
        ...[outbox.stop(), mailer.outbox?.stop(), notices.stop(), endingKeys.stop()],
        ...[linkChecks.stop(), siteIcons?.stop()],
      ])
      pictures.stop()
      backups?.stop()
      await launchers.stop()
      await blockedHosts.stop()
      await searchIndex.stop()
      await recorder.stop()
      await keyRing.stop()
      redis?.close()
      broadcast?.close()
      await isSwept
      await store.close()
    },
  }
}

/** Counts a bucket's refusals for the metrics. */
function counted(bucket: Bucket, tally: Tally): Bucket {
  const count = (decision: Decision, { name }: Limit) => {
    if (!decision.allowed) tally.refusedBy(name)
    return decision
  }
  return {
    take(limit, key) {
      const decision = bucket.take(limit, key)
      return decision instanceof Promise ? decision.then((taken) => count(taken, limit)) : count(decision, limit)
    },
    used: (limit, key) => bucket.used(limit, key),
    giveBack: (limit, key) => bucket.giveBack(limit, key),
  }
}

/** Makes the database and the files beside it private to their owner. Returns those that belong to another user. */
function restrictFiles({ database }: Config): string[] {
  const file = databaseFile(database.url)
  if (file === null) return []
  // The folder of a configured path may hold other people's files.
  const folder =
    database.url === SETTINGS.DATABASE_URL.fallback ? [dirname(file)].filter((path) => existsSync(path)) : []
  return [...folder.filter((path) => !closeToOthers(path)), ...keepPrivate(file)]
}

function openBackups({ store, plan }: NonNullable<Config['backups']>, log: Logger): Backups {
  try {
    return new Backups(store, plan, log)
  } catch (error) {
    throw settingError('SERVICE_BACKUP_DIR', error, fileFault(plan.folder, 'write folder'))
  }
}

function openBlockedHosts({ blockedHostsFile }: Config, log: Logger): BlockedHosts {
  try {
    return BlockedHosts.open(blockedHostsFile, log)
  } catch (error) {
    const fault = blockedHostsFile === undefined ? null : fileFault(blockedHostsFile, 'read file')
    throw settingError('SERVICE_BLOCKED_HOSTS_FILE', error, fault)
  }
}

const CHECK_MS = 2_000
/** Below this limit, a few slow clients can occupy every connection. */
const ENOUGH = 1_024
/** Fractions of the limit at which to warn and to report recovery. */
const [WARN_AT, RECOVERED_AT] = [0.9, 0.7]

/**
 * Logs at the start if the process may open few file descriptors, and later when it nearly runs out of them: it then stops
 * accepting connections, and neither runtime reports that. Linux only.
 * @returns null where they cannot be counted.
 */
function watchDescriptors(log: Logger): Loop | null {
  if (process.platform !== 'linux') return null
  const limit = readLimit()
  if (Number.isNaN(limit)) return null
  if (limit < ENOUGH)
    log.warn(
      { limit },
      'few file descriptors are allowed, and each connection takes one: so many slow connections keep everybody else waiting. Allow 65536 (LimitNOFILE, ulimits in compose, ulimit -n), or put a proxy in front',
    )
  let hasWarned = false
  const look = () => {
    const use = inUse(limit)
    const ratio = use.open / use.limit
    if (ratio >= WARN_AT && !hasWarned) {
      hasWarned = true
      log.error(
        use,
        'nearly all file descriptors are in use: new connections wait. Raise the limit (LimitNOFILE, ulimit -n)',
      )
    } else if (ratio < RECOVERED_AT && hasWarned) {
      hasWarned = false
      log.info(use, 'file descriptors are free again')
    }
  }
  return repeat(CHECK_MS, look, log, 'file descriptors could not be counted')
}

/** Reading the count may need a descriptor itself; if that fails, all are in use. */
function inUse(limit: number): { open: number; limit: number } {
  try {
    // Since Linux 6.2 the size of the directory is the count.
    return { open: statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length, limit }
  } catch {
    return { open: limit, limit }
  }
}

/** The limit of descriptors; NaN if unknown. Read early, because it needs a free descriptor. */
function readLimit(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
}
