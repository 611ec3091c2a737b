import { expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { askPath, newApp, newProof } from '../oauth.ts'
import { actFor, mailTo, newOrganization, newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { newSecret, sendIdentityEvent } from '../webhooks.ts'

setDefaultTimeout(180_000)

const SECRET = newSecret()
const MADE = 'New webhook on Openall'
const GONE = 'A webhook on Openall outlasts the admin who made it'
const ORGANIZATION = '/api/auth/organization'

interface Webhook {
  id: string
  createdBy: string | null
}

onEveryTarget({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true', SERVICE_IDENTITY_WEBHOOK_SECRET: SECRET }, (at) => {
  /** An organisation of two admins, with a webhook that the second made. */
  async function connected() {
    const [ann, eve] = await Promise.all([newPerson(at()), newPerson(at())])
    const { id, memberIds } = await newOrganization(ann, [[eve, 'admin']])
    await actFor(eve, id)
    const made = await makeWebhook(eve, 'http://localhost:4001/eve')
    return { ann, eve, id, memberId: memberIds.get(eve) ?? '', webhookId: made.body.webhook.id }
  }
  const makeWebhook = (person: Person, url: string) =>
    person.api<{ webhook: Webhook }>('POST', '/api/me/webhooks', { url, events: ['bundle.created'] })
  const mailsTo = ({ email }: Person, subject: string) =>
    at()
      .output()
      .split('\n')
      .filter((line) => line.includes(`"to":"${email}"`) && line.includes(`"subject":"${subject}`)).length
  const textOf = async (person: Person, path: string) =>
    (await (await person.fetch(path)).text()).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

  test('admins get a mail about a new webhook, with its host and who made it; one’s own says so too', async () => {
    const { ann, eve } = await connected()
    for (const admin of [ann, eve]) {
      const { text } = await mailTo(at(), admin.email, MADE)
      expect(text).toContain(`${eve.email} created a webhook for an organisation of yours.`)
      expect(text).toContain('  “localhost:4001”')
      expect(text).toContain('  “Organisation')
    }
    await actFor(ann, null)
    await makeWebhook(ann, 'http://localhost:4002/')
    await becomes(() => mailsTo(ann, MADE), 2)
    const { text } = await mailTo(at(), ann.email, MADE)
    expect(text).toContain('Your account was used to create a webhook for your own bundles.')
    expect([text.includes('localhost:4002'), mailsTo(eve, MADE)]).toEqual([true, 1])
  })

  test('the list and its pages say who made a webhook, and that they are no longer an admin', async () => {
    const { ann, eve, id, memberId, webhookId } = await connected()
    await actFor(ann, id)
    const listed = async () =>
      (await ann.api<{ webhooks: Webhook[] }>('GET', '/api/me/webhooks')).body.webhooks.map((one) => one.createdBy)
    expect(await listed()).toEqual([eve.userId])
    const pages = ['/dashboard/webhooks', `/dashboard/webhooks/${webhookId}`]
    for (const page of pages) {
      const text = await textOf(ann, page)
      expect([page, text.includes(`by ${eve.email}`), text.includes('No longer an admin')]).toEqual([page, true, false])
    }
    const demoted = { memberId, role: 'editor', organizationId: id }
    expect((await ann.api('POST', `${ORGANIZATION}/update-member-role`, demoted)).status).toBe(200)
    for (const page of pages) expect(await textOf(ann, page)).toContain('No longer an admin')
    expect((await eve.api('POST', '/api/auth/delete-user', {})).status).toBe(200)
    expect(await listed()).toEqual([null])
    for (const page of pages) expect(await textOf(ann, page)).toContain('Created by a deleted account')
    expect(await at().sql('SELECT 1 FROM webhooks WHERE created_by = ?', [eve.userId])).toEqual([])
  })

  type Made = Awaited<ReturnType<typeof connected>>
  test.each<[string, (made: Made) => Promise<unknown>]>([
    ['leaves', ({ eve, id }) => eve.api('POST', `${ORGANIZATION}/leave`, { organizationId: id })],
    [
      'is removed',
      ({ ann, id, memberId }) =>
        ann.api('POST', `${ORGANIZATION}/remove-member`, { memberIdOrEmail: memberId, organizationId: id }),
    ],
    [
      'is made an editor',
      ({ ann, id, memberId }) =>
        ann.api('POST', `${ORGANIZATION}/update-member-role`, { memberId, role: 'editor', organizationId: id }),
    ],
    ['leaves by a form', ({ eve, id }) => eve.form(`/dashboard/organizations/${id}/leave`, {})],
    ['deletes their account', ({ eve }) => eve.api('POST', '/api/auth/delete-user', {})],
    [
      'is removed by the identity provider',
      ({ eve, id }) => tell('organizationMembership.deleted', { organization: { id }, ...publicly(eve) }),
    ],
    [
      'is made a viewer by the identity provider',
      ({ eve, id }) =>
        tell('organizationMembership.updated', { organization: { id }, ...publicly(eve), role: 'org:viewer' }),
    ],
    ['is deleted by the identity provider', ({ eve }) => tell('user.deleted', { id: eve.userId })],
  ])('the other admins get a mail when the maker of a webhook %s', async (_, go) => {
    const made = await connected()
    const { ann, eve } = made
    await go(made)
    const { text } = await mailTo(at(), ann.email, GONE)
    expect(text).toContain(`${eve.email} is no longer an admin of:\n\n  “Organisation`)
    expect(text).toContain('  “localhost:4001”')
    expect(text).toContain('/dashboard/webhooks')
    expect(mailsTo(eve, GONE)).toBe(0)
  })
  const tell = (type: string, data: Record<string, unknown>) => sendIdentityEvent(at(), SECRET, type, data)
  const publicly = (person: Person) => ({ public_user_data: { user_id: person.userId, identifier: person.email } })

  test('nobody gets one when nothing of theirs goes on: no webhook, a change that is refused, or a role that stays', async () => {
    const { ann, eve, id, memberId, webhookId } = await connected()
    const carol = await newPerson(at())
    const other = await newOrganization(carol, [[ann, 'editor']])
    const same = { memberId, role: 'admin', organizationId: id }
    expect((await ann.api('POST', `${ORGANIZATION}/update-member-role`, same)).status).toBe(200)
    expect((await carol.api('POST', `${ORGANIZATION}/leave`, { organizationId: other.id })).status).toBe(400)
    await eve.api('DELETE', `/api/me/webhooks/${webhookId}`)
    expect((await eve.api('POST', `${ORGANIZATION}/leave`, { organizationId: id })).status).toBe(200)
    // Notices are sent in order of what they are about: once a later one has arrived, those before it would have.
    await actFor(ann, id)
    await makeWebhook(ann, 'http://localhost:4003/')
    await becomes(() => mailsTo(ann, MADE), 2)
    expect([ann, eve, carol].map((person) => mailsTo(person, GONE))).toEqual([0, 0, 0])
  })

  test('the page that connects an app names webhooks where its scope allows making them', async () => {
    const ann = await newPerson(at())
    const [app, { challenge }] = [await newApp(at()), newProof()]
    const words = async (scope: string) => textOf(ann, askPath(app, challenge, { scope }))
    expect(await words('keys:admin')).toMatch(/webhooks, which send what happens to your bundles elsewhere/)
    expect(await words('webhooks:write')).toMatch(/webhooks, which send what happens to your bundles elsewhere/)
    expect(await words('links:write')).not.toContain('webhook')
  })
})
