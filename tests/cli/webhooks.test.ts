import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes, eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Server } from '../server.ts'
import { packCommand, RUNTIMES, Shell } from './shell.ts'

setDefaultTimeout(180_000)

let server: Server
let person: Person
let receiver: Receiver
let rawKey: string

beforeAll(async () => {
  await packCommand()
  server = await startInProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' })
  person = await newPerson(server)
  rawKey = (await person.mint({ scopes: ['keys:admin'], name: 'webhooks' })).rawKey
  receiver = startReceiver()
})
afterAll(async () => {
  await receiver?.stop()
  await server?.stop()
})

for (const [name, start] of RUNTIMES) {
  const shell = () => new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: rawKey })

  test(`${name}: webhooks are made, tested, watched, disabled, rotated and deleted`, async () => {
    const mine = shell()
    receiver.received.length = 0
    const made = await mine.openall(['webhooks', 'create', receiver.url, '--event', 'bundle.created'])
    expect(made.stdout).toMatch(/^whsec_\S+\n$/)
    receiver.secret = made.stdout.trim()
    const [id = ''] = /wh_\w+/.exec(made.stderr) ?? []
    expect((await mine.openall(['webhooks', 'list'])).stdout).toContain(
      `${id}  enabled  standard  bundle.created  ${receiver.url}`,
    )
    expect((await mine.openall(['webhooks', 'test', id])).code).toBe(0)
    await becomes(() => receiver.received.map(({ type }) => type), ['webhook.test'])
    await eventually(
      async () => /webhook\.test +delivered +1/.test((await mine.openall(['webhooks', 'deliveries', id])).stdout),
      'the delivery',
    )
    expect((await mine.openall(['webhooks', 'disable', id])).stdout).toBe(`Webhook ${id} is disabled.\n`)
    expect((await mine.openall(['webhooks', 'list'])).stdout).toContain('disabled: owner')
    expect((await mine.openall(['webhooks', 'enable', id])).stdout).toBe(`Webhook ${id} is enabled.\n`)
    expect((await mine.openall(['webhooks', 'rotate', id])).stdout).toMatch(/^whsec_\S+\n$/)
    expect((await mine.openall(['webhooks', 'delete', id])).stdout).toBe(`Webhook ${id} is deleted.\n`)
    expect((await mine.openall(['webhooks', 'test', id])).code).toBe(4)
    expect((await mine.openall(['webhooks', 'create', receiver.url, '--event', 'x'])).code).toBe(2)
  })

  test(`${name}: a webhook sends messages to a chat, and changes its format`, async () => {
    const mine = shell()
    receiver.secret = null
    receiver.received.length = 0
    const made = await mine.openall(['webhooks', 'create', receiver.url, '--format', 'slack'])
    expect([made.code, made.stdout]).toEqual([0, ''])
    expect(made.stderr).toContain('Messages to chats are not signed')
    expect(made.stderr).toContain('This is no address of Slack')
    const [id = ''] = /wh_\w+/.exec(made.stderr) ?? []
    await mine.openall(['webhooks', 'test', id])
    await eventually(() => receiver.received.length === 1, 'the test message')
    expect(JSON.parse(receiver.received[0]!.text).text).toBe('This is a test message from Openall. It works.')
    const changed = await mine.openall(['webhooks', 'format', id, 'standard'])
    expect(changed.stdout).toBe(`Webhook ${id} sends standard.\n`)
    expect((await mine.openall(['webhooks', 'list'])).stdout).toContain(`${id}  enabled  standard  *`)
    expect((await mine.openall(['webhooks', 'format', id, 'irc'])).code).toBe(2)
    await mine.openall(['webhooks', 'delete', id])
  })

  test(`${name}: listen signs and forwards what happens from now on, once, and says where to go on`, async () => {
    receiver.secret = null
    receiver.received.length = 0
    const before = await person.makeBundle({ title: 'before' })
    const mine = shell()
    const listening = (...more: string[]) => {
      const child = Bun.spawn([...start(), 'listen', '--forward-to', receiver.url, ...more], {
        env: mine.environment,
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const said = { text: '' }
      const decoder = new TextDecoder()
      const write = (part: Uint8Array) => {
        said.text += decoder.decode(part, { stream: true })
      }
      const read = child.stderr.pipeTo(new WritableStream({ write }))
      return { child, said, read }
    }
    const first = listening()
    await eventually(() => first.said.text.includes('Waiting for events'), 'it to listen')
    receiver.secret = /Signing with (whsec_\S+)/.exec(first.said.text)?.[1] ?? ''
    const { slug } = await person.makeBundle({ title: 'heard' })
    await person.api('PATCH', `/api/links/${slug}`, { title: 'heard twice' })
    await becomes(
      () => receiver.received.map(({ type, data }) => [type, data.slug, data.title]),
      [
        // As the bundle is when the command asks, which may be between the two.
        ['bundle.created', slug, expect.stringMatching(/^heard(?: twice)?$/)],
        ['bundle.updated', slug, 'heard twice'],
      ],
    )
    expect(JSON.parse(receiver.received[1]!.text)).toMatchObject({
      subject: { type: 'user', userId: person.userId },
      changes: [{ field: 'title', from: 'heard', to: 'heard twice' }],
    })
    first.child.kill('SIGINT')
    expect(await first.child.exited).toBe(0)
    await first.read
    const [, since = ''] = /To go on from here: openall listen --since (\S+)/.exec(first.said.text) ?? []
    expect(await new Response(first.child.stdout).text()).toContain('answered with 204')
    await person.api('DELETE', `/api/links/${slug}`)
    receiver.secret = null
    receiver.received.length = 0
    const second = listening('--since', since)
    await becomes(() => receiver.received.map(({ type }) => type).slice(-1), ['bundle.deleted'])
    expect(receiver.received.map(({ data }) => data.slug)).not.toContain(before.slug)
    second.child.kill('SIGINT')
    expect(await second.child.exited).toBe(0)
    const wrong = await mine.openall(['listen', '--forward-to', 'localhost:4000'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--forward-to must be a URL')])
    expect((await mine.openall(['listen', '--since', 'yesterday'])).code).toBe(2)
    const listed = await mine.openall(['events', '--type', 'bundle', '--target', slug])
    expect(listed.stdout.split('\n').map((line) => line.split(/ {2,}/)[1])).toEqual([
      'EVENT',
      'bundle.deleted',
      'bundle.updated',
      'bundle.created',
      undefined as never,
    ])
  })
}
