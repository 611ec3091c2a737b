import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { becomes, eventually } from '../eventually.ts'
import { newPerson, Visitor } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type Server, startServer } from '../server.ts'

// Two processes, one per runtime, send the webhooks of one store, while senders and receivers are killed.

setDefaultTimeout(240_000)

const env = { SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }
const EVENTS = ['bundle.created', 'bundle.updated']
const BUNDLES = 3
const EDITS = 12

let bun: Server
let deno: Server
let receiver: Receiver
/** The same person’s key, through either process. */
let visitors: Visitor[]
/** What the receiver took, oldest first: bundle and version. */
let taken: { slug: string; version: number; id: string }[]

beforeAll(async () => {
  const database = join(mkdtempSync(join(tmpdir(), 'openall-')), 'test.db')
  bun = await startServer({ runtime: 'bun', database, env })
  deno = await startServer({ runtime: 'deno', database, env })
  const person = await newPerson(bun)
  const wishes = { name: 'all', scopes: ['keys:admin'], rateLimitPerHour: 0 }
  const { body } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', wishes)
  visitors = [bun, deno].map((server) => new Visitor(server, { authorization: `Bearer ${body.rawKey}` }))
  receiver = startReceiver()
  const made = await person.api<{ secret: string }>('POST', '/api/me/webhooks', { url: receiver.url, events: EVENTS })
  receiver.secret = made.body.secret
  taken = []
})
afterAll(async () => {
  await receiver?.stop()
  await Promise.all([bun, deno].map((server) => server?.stop()))
  rmSync(dirname(bun.database), { recursive: true, force: true })
})

const take = ({ data, id }: Receiver['received'][number]) => {
  taken.push({ slug: data.slug, version: data.versionNumber, id })
  return new Response(null, { status: 204 })
}
const versionsOf = (slug: string) => taken.filter((each) => each.slug === slug).map(({ version }) => version)
const inOrder = (versions: number[]) => versions.every((version, at) => at === 0 || version >= versions[at - 1]!)
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

test('of two processes one sends each event, once and in order', async () => {
  receiver.answer = take
  const slugs = await Promise.all(upTo(BUNDLES).map(async () => (await visitors[0]!.makeBundle()).slug))
  for (let edit = 0; edit < EDITS; edit += 1) {
    const visitor = visitors[edit % 2]!
    await Promise.all(slugs.map((slug) => visitor.api('PATCH', `/api/links/${slug}`, { title: `${edit}` })))
  }
  for (const slug of slugs) await becomes(() => versionsOf(slug), upTo(EDITS + 1))
  expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
})

test('kill -9 of a sender and of the receiver loses nothing, and keeps the order of each bundle', async () => {
  taken = []
  let asked = 0
  // Some are refused, some answered late, so that kills find requests under way.
  receiver.answer = async (received) => {
    asked += 1
    if (asked % 5 === 0) return new Response(null, { status: 500 })
    const answer = take(received)
    if (asked % 3 === 0) await Bun.sleep(50)
    return answer
  }
  const slugs = await Promise.all(upTo(BUNDLES).map(async () => (await visitors[0]!.makeBundle()).slug))
  const retry = () => bun.sql('UPDATE outbox SET due_at = 1 WHERE due_at IS NOT NULL AND lease IS NULL')
  /** Lets the leases of a process that was killed be over: the other one knows what it is sending. */
  const takeOver = () => bun.sql('UPDATE outbox SET due_at = 1 WHERE due_at IS NOT NULL')
  for (let edit = 0; edit < EDITS; edit += 1) {
    await Promise.all(slugs.map((slug) => visitors[0]!.api('PATCH', `/api/links/${slug}`, { title: `${edit}` })))
    const before = asked
    if (edit % 4 === 1) {
      await eventually(() => asked > before, 'an attempt')
      await deno.kill()
      await takeOver()
    }
    if (edit % 4 === 2) await receiver.stop()
    if (edit % 4 === 3) {
      receiver.start()
      await deno.restart()
    }
    if (edit % 4 === 0) await retry()
  }
  await eventually(async () => {
    await retry()
    return slugs.every((slug) => versionsOf(slug).includes(EDITS + 1))
  }, 'the last event of each bundle')
  for (const slug of slugs) {
    expect([...new Set(versionsOf(slug))]).toEqual(upTo(EDITS + 1))
    expect([slug, inOrder(versionsOf(slug))]).toEqual([slug, true])
  }
})
