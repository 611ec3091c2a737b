import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { WEBHOOK_EVENTS } from '../../db/schema.ts'
import { type Client, OpenallError } from '../sdk/openall.ts'
import type { Body } from '../sdk/signatures.ts'
import { command } from './command.ts'
import { UsageError } from './exit.ts'
import { note, oneLine, print } from './output.ts'

type LoggedEvent = Body<'list_events'>['events'][number]
type Told = (typeof WEBHOOK_EVENTS)[number]

/** The events that webhooks receive. */
const TOLD: Record<Told, true> = {
  'bundle.created': true,
  'bundle.updated': true,
  'bundle.deleted': true,
  'bundle.restored': true,
  'bundle.claimed': true,
  'bundle.transferred': true,
  'bundle.links_broken': true,
  'proposal.opened': true,
  'proposal.accepted': true,
  'proposal.rejected': true,
}

/** 720 calls an hour, of the 1 000 that a key has by default. */
const POLL_MS = 5_000
/** Pages of a hundred events that are read at a time; older ones are left out, with a note. */
const MAX_PAGES = 10
/** As long as a receiver of webhooks has. */
const TIMEOUT_MS = 10_000
/** Events are read again from this long before the newest, because several servers write them, each by its own clock. */
const OVERLAP_MS = 5_000
/** The longest wait after a refusal or a missing answer from the service. */
const MAX_WAIT_MS = 300_000

export const listen = command({
  summary: 'Receive events as webhooks send them, on a machine without a public address',
  examples: [
    'openall listen --forward-to http://localhost:4000/hooks',
    'openall listen --since 2026-12-01T09:00:00Z --forward-to http://localhost:4000/hooks',
  ],
  args: {
    'forward-to': {
      valueHint: 'url',
      description:
        'POST each event there, signed with the secret that is printed at the start; without it, events are only printed. ' +
        'Nothing is relayed: every five seconds this command reads list_events, and signs what is new itself',
    },
    since: {
      valueHint: 'time',
      description: 'Begin with events from this time on; default: now. Ctrl-C prints where to continue',
    },
  },
  async run({ args, client }) {
    const to = args['forward-to']
    if (to !== undefined && !(URL.canParse(to) && /^https?:$/.test(new URL(to).protocol))) {
      throw new UsageError(`--forward-to must be a URL such as http://localhost:4000/hooks, not "${to}"`)
    }
    const stopped = new AbortController()
    process.once('SIGINT', () => stopped.abort())
    process.once('SIGTERM', () => stopped.abort())
    const log = new Log(client, stopped.signal)
    await log.begin(args.since)
    const forward = to === undefined ? null : forwarderTo(to, stopped.signal)
    if (forward !== null) note(`Signing with ${forward.secret}`)
    note('Waiting for events; Ctrl-C ends this.')
    try {
      while (!stopped.signal.aborted) {
        for (const event of await log.news()) {
          if (stopped.signal.aborted) break
          const became = forward === null ? '' : `  ${await forward.send(await messageOf(client, event))}`
          if (args.json) print(JSON.stringify(event))
          else print(`${event.createdAt}  ${event.type}  ${oneLine(event.target.slug ?? '')}${became}`)
          log.done(event)
        }
        await wait(log.waitMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    } finally {
      if (log.since !== undefined) note(`To go on from here: openall listen --since ${log.since}`)
    }
  },
})

/** The log of events, read from its newest entry. */
class Log {
  /** The time of the newest handled event; undefined if there is none. */
  since: string | undefined
  /** Until the next poll: longer if the service requests it. */
  waitMs = POLL_MS
  /** Older events are not read. */
  #from = Number.NEGATIVE_INFINITY
  /** Ids of handled events, the oldest first. */
  readonly #done = new Set<string>()

  constructor(
    readonly client: Client,
    readonly signal: AbortSignal,
  ) {}

  /** Begins at a given time, or after the present events. @throws OpenallError. */
  async begin(since: string | undefined): Promise<void> {
    this.since = since
    if (since !== undefined) this.#from = Date.parse(since)
    // Reveals an invalid key here, not after hours of silence.
    const { events } = await this.client.listEvents({ limit: 100, ...(since === undefined ? {} : { since }) })
    if (since === undefined) for (const event of events.toReversed()) this.done(event)
  }

  /** New events that webhooks would receive, oldest first; none while the service cannot be reached. */
  async news(): Promise<LoggedEvent[]> {
    try {
      this.waitMs = POLL_MS
      const isNew = ({ id, type, createdAt }: LoggedEvent) =>
        !this.#done.has(id) && Object.hasOwn(TOLD, type) && Date.parse(createdAt) >= this.#from
      return (await this.#all()).filter(isNew).reverse()
    } catch (error) {
      if (this.signal.aborted) return []
      if (!(error instanceof OpenallError) || (error.status >= 400 && error.status < 500 && error.status !== 429))
        throw error
      this.waitMs = Math.min(Math.max(POLL_MS, (error.retryAfterSeconds ?? 0) * 1000), MAX_WAIT_MS)
      note(`${oneLine(error.message)} Trying again in ${Math.round(this.waitMs / 1000)} seconds.`)
      return []
    }
  }

  async #all(): Promise<LoggedEvent[]> {
    const found: LoggedEvent[] = []
    const since = this.since === undefined ? {} : { since: before(this.since) }
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const at = { limit: 100, ...since, ...(cursor === undefined ? {} : { cursor }) }
      const { events, nextCursor } = await this.client.listEvents(at, { signal: this.signal })
      found.push(...events)
      cursor = nextCursor
      if (cursor === undefined) return found
    }
    note(`More than ${found.length} events happened at once: older ones are left out.`)
    return found
  }

  /** Marks an event as handled. */
  done({ id, createdAt }: LoggedEvent): void {
    if (this.since === undefined || createdAt > this.since) this.since = createdAt
    this.#done.add(id)
    if (this.#done.size <= 2 * MAX_PAGES * 100) return
    for (const oldest of this.#done) {
      this.#done.delete(oldest)
      break
    }
  }
}

/** A little earlier than a time. */
function before(time: string): string {
  return new Date(Date.parse(time) - OVERLAP_MS).toISOString()
}

/** The body of a delivery. `data` shows the event's subject as it is now, not as the event left it. */
async function messageOf(client: Client, { id, type, createdAt, actor, changes, subject, target }: LoggedEvent) {
  const { name: _, keyName: _key, ...byIds } = actor
  const data = await dataOf(client, target).catch((error) => {
    // Erased meanwhile, or not visible to this key: falls back to the log's entry.
    if (error instanceof OpenallError && error.status >= 400 && error.status < 500) return { slug: target.slug ?? null }
    throw error
  })
  const told = { id, actor: byIds, ...(changes === undefined ? {} : { changes }) }
  return { id, body: JSON.stringify({ type, timestamp: createdAt, ...told, subject, data }) }
}

async function dataOf(client: Client, { type, id, slug }: LoggedEvent['target']) {
  if (slug === undefined) return { slug: null }
  return type === 'proposal' && id !== null ? client.getProposal({ slug, id }) : client.getBundle({ slug })
}

/** Sends events to a program on this machine as a webhook would. */
function forwarderTo(url: string, stopped: AbortSignal) {
  // Signed by hand (Standard Webhooks), because the package would bring three libraries.
  const key = randomBytes(32)
  const secret = `whsec_${key.toString('base64')}`
  return {
    secret,
    /** @returns the receiver's answer, for people. */
    async send({ id: eventId, body }: { id: string; body: string }): Promise<string> {
      const id = `msg_${eventId.replace(/^evt_/, '')}`
      const time = String(Math.floor(Date.now() / 1000))
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`,
      }
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)])
      try {
        const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
        await answer.body?.cancel()
        return `answered with ${answer.status}`
      } catch (error) {
        return `not sent: ${oneLine(error instanceof Error ? error.message : String(error))}`
      }
    },
  }
}
