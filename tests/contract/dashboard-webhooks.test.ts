import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { actFor, addMember, follow, newOrganization, newPerson, type Person } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

const receiver = startReceiver()
afterAll(() => receiver.stop())

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  const pageOf = async (person: Person, path: string) => (await person.fetch(path)).text()

  test('a webhook is created, tested, watched, disabled, changed and deleted with plain forms', async () => {
    const person = await newPerson(at())
    receiver.received.length = 0
    receiver.secret = null
    expect(await pageOf(person, '/dashboard/webhooks')).toContain('Tell your own tools what happens here')
    const form = await pageOf(person, '/dashboard/webhooks/new')
    const idempotencyKey = /name="idempotencyKey" value="([^"]+)"/.exec(form)?.[1] ?? ''
    const sent = { url: receiver.url, events: 'bundle.created', idempotencyKey }

    const refused = await person.form('/dashboard/webhooks/new', { ...sent, url: 'http://169.254.169.254/' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('This must lead to a public address.')
    const made = await (await person.form('/dashboard/webhooks/new', sent)).text()
    receiver.secret = /id="secret" readonly value="([^"]+)"/.exec(made)?.[1] ?? ''
    expect(receiver.secret).toMatch(/^whsec_/)
    const again = await follow(person, await person.form('/dashboard/webhooks/new', sent))
    expect(await again.text()).toContain('You already created this webhook')

    const address =
      /href="(\/dashboard\/webhooks\/wh_\w+)"/.exec(await pageOf(person, '/dashboard/webhooks'))?.[1] ?? ''
    expect(await pageOf(person, address)).toContain('Nothing has been sent in the last 14 days')
    await follow(person, await person.form(`${address}/test`, {}))
    await becomes(async () => (await pageOf(person, address)).includes('Delivered, 204'), true)
    const [, redeliver = ''] = /action="([^"]+\/redeliver)"/.exec(await pageOf(person, address)) ?? []
    await follow(person, await person.form(redeliver, {}))
    await becomes(() => new Set(receiver.received.map(({ id }) => id)).size === 1 && receiver.received.length, 2)

    const disabled = await follow(person, await person.form(`${address}/state`, { enabled: 'false' }))
    expect(await disabled.text()).toContain('What happens now isn’t kept for it.')
    const none = await person.form(`${address}/edit`, { url: receiver.url })
    expect([none.status, (await none.text()).includes('Choose at least one event.')]).toEqual([400, true])
    const changed = await follow(
      person,
      await person.form(`${address}/edit`, { url: receiver.url, events: 'bundle.deleted' }),
    )
    expect(await changed.text()).toContain('Bundle deleted')
    expect(await pageOf(person, `${address}/delete`)).toContain('You can’t undo this.')
    await follow(person, await person.form(`${address}/delete`, {}))
    expect((await person.fetch(address)).status).toBe(404)
  })

  test('members who are not admins are told who manages webhooks', async () => {
    const [admin, member] = [await newPerson(at()), await newPerson(at())]
    const { id } = await newOrganization(admin)
    await addMember(admin, id, member, 'editor')
    await actFor(member, id)
    for (const path of ['/dashboard/webhooks', '/dashboard/webhooks/new', '/dashboard/webhooks/wh_x']) {
      expect(await pageOf(member, path)).toContain('Only admins of')
    }
  })
})
