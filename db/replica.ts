import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createClient, type InStatement, type ResultSet } from '@libsql/client'
import { coalesced } from './coalesced.ts'
import type { Committed, Write } from './file.ts'
import { type LongReads, openLongReads, readerOn } from './long-reads.ts'
import { Outage, serverTimeout } from './outage.ts'
import { makeFolderOf } from './private-files.ts'
import { type Connection, openRemote, writerTo } from './remote.ts'
import type { RemoteStore } from './streams.ts'
import { orTimeout, REMOTE_TIMEOUT_MS, TIMED_OUT } from './timeout.ts'
import { isRefusal } from './unavailable.ts'

/** Maximum delay until other processes’ writes are visible here, if the server answers. */
const COPY_EVERY_MS = 250
/** Minimum interval between syncs caused by reads that found nothing. */
const CATCH_UP_EVERY_MS = 50
/** The first copy may be large. */
const FIRST_COPY_MS = 60_000

/** An embedded replica: reads come from a local copy, writes go to the server. */
interface Replica {
  reads: Connection
  /** Reads that must not be stale: from the server, or from the copy while the server does not answer. */
  current: Connection
  /** Syncs the copy, for a read that found nothing; false if the server does not answer. */
  catchUp(): Promise<boolean>
  /** Long reads, from the copy. */
  readLong: LongReads['read']
  write: Write
  close(): void
}

/**
 * Opens a local copy of a remote store. A process reads its own writes: a write resolves once it has reached the copy,
 * and until then reads go to the server.
 * @param path of the copy; created if missing.
 * @throws the driver’s error, or an Error if the server does not answer.
 */
export async function openReplica(path: string, remote: RemoteStore, committed: Committed): Promise<Replica> {
  makeFolderOf(path)
  const url = pathToFileURL(path).href
  const server = openRemote(remote)
  const send = writerTo(server, committed)
  const copier = new Copier({ url, remote })
  if ((await orTimeout(copier.copy(), FIRST_COPY_MS)) === TIMED_OUT)
    throw new Error('the server sent no copy of its database')
  const copy = createClient({ url, concurrency: 1 })
  const outage = new Outage(() => server.execute('SELECT 1'))
  const markAway = () => {
    outage.begin()
    copier.markUnreachable()
  }
  const current = fallingBackTo(openRemote(remote), copy, {
    isAway: () => outage.isOngoing || copier.isUnreachable,
    markAway,
  })
  const reads = divertedWhile(() => copier.isBehind, copy, server)
  const longReads = await openLongReads(path)
  const readFromServer = readerOn(server)
  const copyForAll = coalesced(() => copier.copy(), CATCH_UP_EVERY_MS)
  const timer = setInterval(() => copier.copy().catch(() => {}), COPY_EVERY_MS)
  return {
    reads,
    current,
    async catchUp() {
      if (copier.isUnreachable) return false
      const copied = copyForAll().then(
        () => true,
        () => false,
      )
      const isCopied = await orTimeout(copied, REMOTE_TIMEOUT_MS)
      if (isCopied === TIMED_OUT) markAway()
      return isCopied === true
    },
    readLong: (statement) => (copier.isBehind ? readFromServer : longReads.read)(statement),
    async write(statements) {
      // A request that has waited for the server once, for its session, must not wait again.
      if (outage.isOngoing) throw serverTimeout()
      const startedAt = performance.now()
      const copied = () => {
        copier.recordWrite()
        const left = REMOTE_TIMEOUT_MS - (performance.now() - startedAt)
        return orTimeout(
          copier.copy().catch(() => {}),
          Math.max(left, 0),
        )
      }
      try {
        const results = await send(statements)
        await copied()
        return results
      } catch (error) {
        // The conflicting row may be another process’s. If the server did not answer, the outcome is unknown.
        if (isRefusal(error)) await copied()
        else outage.begin()
        throw error
      }
    },
    close() {
      clearInterval(timer)
      outage.close()
      copier.stop()
      current.close()
      longReads.close()
      server.close()
    },
  }
}

type Execute = (query: InStatement | string, args?: unknown) => Promise<ResultSet>

/** A client of the server that reads from the copy while the server does not answer. Create it before wrapping the copy. */
function fallingBackTo(
  client: Connection,
  copy: Connection,
  server: { isAway(): boolean; markAway(): void },
): Connection {
  const [there, here] = [client.execute.bind(client) as Execute, copy.execute.bind(copy) as Execute]
  const [allThere, allHere] = [client.batch.bind(client), copy.batch.bind(copy)]
  const first = async <Result>(ask: () => Promise<Result>, otherwise: () => Promise<Result>) => {
    if (server.isAway()) return otherwise()
    try {
      return await ask()
    } catch (error) {
      if (isRefusal(error)) throw error
      server.markAway()
      return otherwise()
    }
  }
  return Object.assign(client, {
    execute: (query: InStatement | string, args?: unknown) =>
      first(
        () => there(query, args),
        () => here(query, args),
      ),
    batch: ((statements, mode) =>
      first(
        () => allThere(statements, mode),
        () => allHere(statements, mode),
      )) satisfies Connection['batch'],
  })
}

/** A client whose reads go to `other` while `isStale()`. */
function divertedWhile(isStale: () => boolean, client: Connection, other: Connection): Connection {
  const [here, there] = [client.execute.bind(client) as Execute, other.execute.bind(other) as Execute]
  const batch = client.batch.bind(client)
  return Object.assign(client, {
    execute: (query: InStatement | string, args?: unknown) => (isStale() ? there : here)(query, args),
    batch: ((statements, mode) =>
      isStale() ? other.batch(statements, mode) : batch(statements, mode)) satisfies Connection['batch'],
  })
}

/** The worker that syncs the copy, one sync at a time. */
class Copier {
  readonly #worker: Worker
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #writes = 0
  #copied = 0
  #hasFailed = false
  #startedAt = 0

  constructor(workerData: { url: string; remote: RemoteStore }) {
    this.#worker = new Worker(new URL('./replica-worker.ts', import.meta.url), { workerData })
    this.#worker.setMaxListeners(0)
  }

  /** Records a write that the copy must have. */
  recordWrite(): void {
    this.#writes += 1
  }

  /** Whether the copy lacks a recorded write. */
  get isBehind(): boolean {
    return this.#copied < this.#writes
  }

  /** Records that the server left a call serverTimeout, so that no other call waits for it. */
  markUnreachable(): void {
    this.#hasFailed = true
  }

  /** Whether the server does not answer: from a failure until the next successful sync. */
  get isUnreachable(): boolean {
    return this.#hasFailed || (this.#running !== undefined && performance.now() - this.#startedAt > REMOTE_TIMEOUT_MS)
  }

  /** Copies everything the server has by now; a sync in progress may have started before the latest write. */
  copy(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.catch(() => {}).then(() => this.#start())
    return this.#next
  }

  stop(): void {
    void this.#worker.terminate()
  }

  #start(): Promise<void> {
    this.#next = undefined
    const upTo = this.#writes
    this.#startedAt = performance.now()
    const running = new Promise<void>((resolve, reject) => {
      this.#worker.once('message', (failure: string | null) => {
        this.#hasFailed = failure !== null
        if (failure === null) resolve()
        else reject(new Error(failure))
      })
      this.#worker.postMessage(null)
    })
      .then(() => {
        this.#copied = Math.max(this.#copied, upTo)
      })
      .finally(() => {
        if (this.#running === running) this.#running = undefined
      })
    this.#running = running
    return running
  }
}
