import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { newPerson, type Person, Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

setDefaultTimeout(180_000)

const DAY_MS = 86_400_000
const dayAfter = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

interface Key {
  id: number
  name: string
  expiresAt?: string
  allowedNetworks?: string[]
  replacedBy?: number
}

onEveryTarget({}, (server) => {
  let person: Person
  beforeAll(async () => {
    person = await newPerson(server())
  })
  const page = async (path: string) => (await person.fetch(path)).text()
  const keys = async () => (await person.api<{ apiKeys: Key[] }>('GET', '/api/me/keys')).body.apiKeys
  const named = async (name: string) => (await keys()).find((key) => key.name === name)
  const create = (fields: Record<string, string>) =>
    person.form('/dashboard/keys/new', { name: 'a key', scope: 'links:read', rateLimitPerHour: '10', ...fields })
  const make = async (body: object) =>
    (await person.api<{ apiKey: Key; rawKey: string }>('POST', '/api/me/keys', body)).body
  /** A row of the list, without tags. */
  const rowOf = async (name: string) =>
    (await page('/dashboard/keys'))
      .split('<li')
      .find((row) => row.includes(`>${name}<`))
      ?.replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ') ?? ''

  test('New key asks for a last day and networks, and the list says both', async () => {
    const form = await page('/dashboard/keys/new')
    expect(form).toContain('name="expiresAt"')
    expect(form).toContain('name="allowedNetworks"')
    const day = dayAfter(90)
    const made = await create({ name: 'both', expiresAt: day, allowedNetworks: '10.1.2.3/8\r\n2001:db8::1, 192.0.2.7' })
    expect(made.status).toBe(200)
    expect(await named('both')).toMatchObject({
      expiresAt: `${day}T23:59:59.000Z`,
      allowedNetworks: ['10.0.0.0/8', '2001:db8::1/128', '192.0.2.7/32'],
    })
    expect(await rowOf('both')).toMatch(/Only from 3 networks.*Ends \d+ \w+ \d{4}/)
    await create({ name: 'neither' })
    expect(Object.keys((await named('neither')) ?? {})).not.toContain('expiresAt')
    expect(await rowOf('neither')).not.toMatch(/Only from|Ends/)
  })

  test('the list marks a key that ends within a week, and one that has ended', async () => {
    const soon = await make({
      name: 'soon',
      allowedNetworks: ['192.0.2.0/24'],
      expiresAt: new Date(Date.now() + 4.5 * DAY_MS),
    })
    expect(await rowOf('soon')).toMatch(/Only from 192\.0\.2\.0\/24 .*Ends in 5 days/)
    await server().sql('UPDATE api_keys SET expires_at = ? WHERE id = ? RETURNING 1', [
      Date.now() - 3_700_000,
      soon.apiKey.id,
    ])
    const row = await rowOf('soon')
    expect(row).toContain('Ended 1 hour ago')
    expect(row).not.toMatch(/Revoke|Rotate/)
  })

  test('what is wrong is said beside its field, and what was typed stays', async () => {
    const past = await create({ name: 'typed', expiresAt: '2020-01-31', allowedNetworks: '10.0.0.0/8\nnowhere' })
    const html = await past.text()
    expect(past.status).toBe(400)
    expect(html).toContain('id="expiresAt-error"')
    expect(html).toContain('id="allowedNetworks-error"')
    for (const typed of ['value="2020-01-31"', '10.0.0.0/8\nnowhere', 'value="typed"']) expect(html).toContain(typed)
    expect(await named('typed')).toBeUndefined()
  })

  test('Rotate shows the new key once, and the list says until when the old one works', async () => {
    const { apiKey, rawKey } = await make({ name: 'turned' })
    const path = `/dashboard/keys/${apiKey.id}/rotate`
    expect(await page('/dashboard/keys')).toContain(`href="${path}"`)
    const asked = await page(path)
    expect(asked).toContain('name="graceHours"')
    // It has no end that could be moved.
    expect(asked).not.toContain('name="expiresAt"')
    const wrong = await person.form(path, { graceHours: '25' })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('id="graceHours-error"')])
    const done = await person.form(path, { graceHours: '2' })
    const shown = /oa_[0-9A-Za-z]{12}\.[0-9A-Za-z]{38}/.exec(await done.text())?.[0] ?? ''
    expect([done.status, shown === rawKey]).toEqual([200, false])
    for (const key of [shown, rawKey]) {
      const answer = await new Visitor(server(), { authorization: `Bearer ${key}` }).api('GET', '/api/me')
      expect(answer.status).toBe(200)
    }
    expect(await page('/dashboard/keys')).not.toContain(`href="${path}"`)
    const list = (await page('/dashboard/keys')).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(list).toContain('Replaced, ends in 2 hours')
    // Pressed again, or opened again: there is nothing left to rotate.
    const again = await person.form(path, { graceHours: '2' })
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('rotated already')])
    expect((await person.fetch(path)).status).toBe(303)
  })

  test('a key with an end is offered as long a life again', async () => {
    const { apiKey } = await make({ name: 'long', expiresAt: new Date(Date.now() + 30 * DAY_MS) })
    const path = `/dashboard/keys/${apiKey.id}/rotate`
    await server().sql(
      'UPDATE api_keys SET created_at = created_at - ?, expires_at = expires_at - ? WHERE id = ? RETURNING 1',
      [25 * DAY_MS, 25 * DAY_MS, apiKey.id],
    )
    const offered = /name="expiresAt"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="expiresAt"/.exec(await page(path))
    const day = offered?.[1] ?? offered?.[2] ?? ''
    expect([dayAfter(29), dayAfter(30)]).toContain(day)
    expect((await person.form(path, { graceHours: '0', expiresAt: day })).status).toBe(200)
    const { replacedBy } = (await keys()).find(({ id }) => id === apiKey.id) ?? {}
    expect((await keys()).find(({ id }) => id === replacedBy)?.expiresAt).toBe(`${day}T23:59:59.000Z`)
  })
})
