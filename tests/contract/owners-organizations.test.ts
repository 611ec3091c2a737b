import { beforeEach, expect, test } from 'bun:test'
import { newPerson, type Person } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

const CAPS = { SERVICE_PLAN_FREE_MAX_ORGANIZATIONS: '5', SERVICE_PLAN_PRO_MAX_ORGANIZATIONS: '7' }
let made = 0

onEveryTarget(CAPS, (at) => {
  let ann: Person
  beforeEach(async () => {
    ann = await newPerson(at())
  })
  const create = () => {
    made += 1
    const words = { name: `Organisation ${made}`, slug: `capped-${made}` }
    return ann.api<{ id: string; error: string; code: string }>('POST', '/api/auth/organization/create', words)
  }
  const own = async () =>
    (await ann.api<unknown[]>('GET', '/api/auth/organization/list')).body as unknown as { id: string }[]

  test('of thirty organisations made at once by one person, five succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, create))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(200), ...Array(25).fill(403)])
    const refused = answers.find(({ status }) => status === 403)
    expect(refused?.body.code).toBe('PLAN_LIMIT')
    expect(refused?.body.error).toMatch(/\b5 organisations.*Pro.*\b7\b/)
    expect(await own()).toHaveLength(5)
  })

  test('deleting one makes room, leaving one does not, and pro allows more', async () => {
    for (let n = 0; n < 5; n += 1) await create()
    const [{ id } = { id: '' }] = await own()
    expect((await create()).status).toBe(403)
    await ann.api('POST', '/api/auth/organization/delete', { organizationId: id })
    expect((await create()).status).toBe(200)
    expect((await create()).status).toBe(403)
    const [{ id: left } = { id: '' }] = await own()
    await at().sql('DELETE FROM member WHERE organization_id = ? RETURNING 1', [left])
    expect((await create()).status).toBe(403)
    await at().sql('UPDATE owners SET plan = ? WHERE user_id = ? RETURNING 1', ['pro', ann.userId])
    expect((await create()).status).toBe(200)
    expect((await create()).status).toBe(200)
    expect((await create()).status).toBe(403)
  })

  test('nobody can name another person as the maker, and the maker is not revealed', async () => {
    const bob = await newPerson(at())
    const words = { name: 'Mine', slug: `capped-by-${bob.userId}`, createdBy: bob.userId }
    const { body } = await ann.api<{ id: string }>('POST', '/api/auth/organization/create', words)
    expect(Object.keys(body)).not.toContain('createdBy')
    const [row] = await at().sql('SELECT created_by FROM organization WHERE id = ?', [body.id])
    expect(row?.created_by).toBe(ann.userId)
  })

  test('the dashboard says so next to the form, and keeps the name', async () => {
    for (let n = 0; n < 5; n += 1) await create()
    const answer = await ann.form('/dashboard/organizations', { name: 'One too many', slug: 'one-too-many' })
    const html = await answer.text()
    expect(answer.status).toBe(403)
    expect(html).toMatch(/role="alert"[^>]*>[^<]*5 organisations/)
    expect(html).toContain('value="One too many"')
  })
})
