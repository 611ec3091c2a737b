import { beforeEach, expect, test } from 'bun:test'
import { actFor, newOrganization, newPerson, type Person, type Visitor } from '../people.ts'
import { startReceiver } from '../receiver.ts'
import { onEveryTarget } from '../targets.ts'

const ROUNDS = 20

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  let [ann, editor] = [] as unknown as [Person, Person]
  let team: string
  beforeEach(async () => {
    ;[ann, editor] = [await newPerson(at()), await newPerson(at())]
    team = (await newOrganization(ann, [[editor, 'editor']])).id
    await actFor(ann, null)
  })
  const toSelf = ({ userId }: Person) => ({ to: { type: 'user', userId } })
  const move = (by: Visitor, slug: string, to: object = { to: { type: 'organization', organizationId: team } }) =>
    by.api('POST', `/api/links/${slug}/transfer`, to)

  test('edits at the same time each get a version or are refused, and none is lost', async () => {
    const { slug } = await editor.makeBundle()
    const edits = Array.from({ length: 12 }, (_, n) => editor.api('PATCH', `/api/links/${slug}`, { title: `${n}` }))
    const moved = await move(editor, slug)
    const statuses = (await Promise.all(edits)).map(({ status }) => status)
    expect([moved.status, ...statuses]).toEqual(Array(13).fill(200))
    const { body } = await ann.api<{ versions: { versionNumber: number }[] }>('GET', `/api/links/${slug}/versions`)
    expect(body.versions.map(({ versionNumber }) => versionNumber).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 13 }, (_, n) => n + 1),
    )
    // An editor of the organisation loses it while editing.
    const during = Array.from({ length: 12 }, (_, n) =>
      editor.api('PATCH', `/api/links/${slug}`, { title: `late ${n}` }),
    )
    const taken = await move(ann, slug, toSelf(ann))
    const late = (await Promise.all(during)).map(({ status }) => status)
    expect(taken.status).toBe(200)
    expect(late.filter((status) => status !== 200 && status !== 403)).toEqual([])
    const now = (await ann.api<{ versionNumber: number }>('GET', `/api/links/${slug}`)).body.versionNumber
    expect(now).toBe(13 + late.filter((status) => status === 200).length)
  })

  test('a bundle that is deleted while it moves is gone, or was not deleted', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { slug } = await ann.makeBundle()
      const calls = [move(ann, slug), ...Array.from({ length: 3 }, () => ann.api('DELETE', `/api/links/${slug}`))]
      const [moved, ...deleted] = (await Promise.all(calls)).map(({ status }) => status)
      expect([[200, 404].includes(moved ?? 0), deleted.toSorted()]).toEqual([true, [200, 404, 404]])
      expect((await ann.api('GET', `/api/links/${slug}`)).status).toBe(404)
    }
  })

  test('a proposal is not rejected for the new owner with rights of before', async () => {
    const receiver = startReceiver()
    const hook = { url: receiver.url, events: ['proposal.rejected'] }
    expect((await ann.api('POST', '/api/me/webhooks', hook)).status).toBe(201)
    for (let round = 0; round < ROUNDS; round += 1) {
      const { slug } = await ann.makeBundle()
      const path = `/api/links/${slug}/proposals`
      await move(ann, slug)
      const { body } = await ann.api<{ id: string }>('POST', path, { title: 'Proposed' })
      const [moved, rejected] = await Promise.all([
        move(ann, slug, toSelf(ann)),
        editor.api('POST', `${path}/${body.id}/reject`, {}),
      ])
      expect([moved.status, [200, 403].includes(rejected.status)]).toEqual([200, true])
      const { body: proposal } = await ann.api<{ state: string }>('GET', `${path}/${body.id}`)
      expect(proposal.state).toBe(rejected.status === 200 ? 'rejected' : 'open')
    }
    // The one of the organisation could only be rejected before, when this webhook was not to hear of it.
    expect(await at().sql("SELECT event FROM outbox WHERE event = 'proposal.rejected'")).toEqual([])
    await receiver.stop()
  })
})
