import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Client, createClient, type InStatement, type ResultSet } from '@libsql/client'
import type { Write } from './file.ts'
import { LATE, REMOTE_TIMEOUT_MS, within } from './in-time.ts'
import { makeFolderOf } from './private-files.ts'
import { isRefusal, openRemote, type RemoteStore, writerTo } from './remote.ts'

/** Other processes’ writes are visible here after at most this time, if the server answers. */
const COPY_EVERY_MS = 250
/** The first copy may be large. */
const FIRST_COPY_MS = 60_000

/** An embedded replica: reads come from a local copy, writes go to the server. */
interface Replica {
  reads: Client
  write: Write
  close(): void
}

/**
 * Opens a local copy of a remote store. A process reads its own writes: a write is answered when the copy has it, and
 * while the copy lacks a write that the server has confirmed or refused, reads go to the server.
 * @param path of the copy; created if missing.
 * @throws what the driver throws, and an Error if the server does not answer.
 */
export async function openReplica(path: string, remote: RemoteStore): Promise<Replica> {
  makeFolderOf(path)
  const url = pathToFileURL(path).href
  const server = openRemote(remote)
  const send = writerTo(server)
  const copier = new Copier({ url, remote })
  if ((await within(copier.copy(), FIRST_COPY_MS)) === LATE) throw new Error('the server sent no copy of its database')
  const reads = elsewhereWhile(() => copier.isBehind, createClient({ url, concurrency: 1 }), server)
  const timer = setInterval(() => copier.copy().catch(() => {}), COPY_EVERY_MS)
  return {
    reads,
    async write(statements) {
      const startedAt = performance.now()
      const copied = () => {
        copier.written()
        const left = REMOTE_TIMEOUT_MS - (performance.now() - startedAt)
        return within(
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
        throw error
      }
    },
    close() {
      clearInterval(timer)
      copier.stop()
      server.close()
    },
  }
}

/** A client whose reads go to another client while its own must not be used. */
function elsewhereWhile(mustNot: () => boolean, client: Client, other: Client): Client {
  type Execute = (query: InStatement | string, args?: unknown) => Promise<ResultSet>
  const [here, there] = [client.execute.bind(client) as Execute, other.execute.bind(other) as Execute]
  const batch = client.batch.bind(client)
  return Object.assign(client, {
    execute: (query: InStatement | string, args?: unknown) => (mustNot() ? there : here)(query, args),
    batch: ((statements, mode) =>
      mustNot() ? other.batch(statements, mode) : batch(statements, mode)) satisfies Client['batch'],
  })
}

/** The worker that copies, one sync at a time. */
class Copier {
  readonly #worker: Worker
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #writes = 0
  #copied = 0

  constructor(workerData: { url: string; remote: RemoteStore }) {
    this.#worker = new Worker(new URL('./replica-worker.ts', import.meta.url), { workerData })
    this.#worker.setMaxListeners(0)
  }

  /** To be called for each write that the copy must have. */
  written(): void {
    this.#writes += 1
  }

  /** Whether the copy lacks one of those writes. */
  get isBehind(): boolean {
    return this.#copied < this.#writes
  }

  /** Copies everything the server holds by now: a sync in progress may have started before the latest write. */
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
    const running = new Promise<void>((resolve, reject) => {
      this.#worker.once('message', (failure: string | null) =>
        failure === null ? resolve() : reject(new Error(failure)),
      )
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
