import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { becomes } from '../eventually.ts'
import { startMailSink } from '../mail-sink.ts'
import { actFor, newEmail, newOrganization, type Person, signUp } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, TARGETS } from '../server.ts'
import { startOn } from '../targets.ts'

setDefaultTimeout(300_000)

const DAY_MS = 86_400_000
/** It looks every ten seconds. */
const PATIENCE_MS = 120_000

let sink: Awaited<ReturnType<typeof startMailSink>>
let server: Server
beforeAll(async () => {
  sink = await startMailSink(freePort())
  server = await startOn(TARGETS[0]!, { SMTP_URL: sink.url, SERVICE_MAIL_FROM: 'service@openall.example' })
})
afterAll(async () => {
  await server?.stop()
  await sink?.stop()
})

async function newPerson(): Promise<Person> {
  const person = await signUp(server, newEmail('ending'))
  await server.sql('UPDATE user SET email_verified = 1 WHERE id = ? RETURNING 1', [person.userId])
  return person
}
async function mint(person: Person, name: string, days: number): Promise<number> {
  const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString()
  const made = await person.api<{ apiKey: { id: number } }>('POST', '/api/me/keys', { name, expiresAt })
  expect(made.status).toBe(201)
  return made.body.apiKey.id
}
/** Lets days pass for keys. */
const age = (ids: readonly number[], days: number) =>
  server.sql(
    `UPDATE api_keys SET created_at = created_at - ?1, expires_at = expires_at - ?1
     WHERE id IN (SELECT value FROM json_each(?2)) RETURNING 1`,
    [Math.round(days * DAY_MS), JSON.stringify(ids)],
  )
const to = ({ email }: Person) =>
  sink.mails.filter(({ recipients, subject }) => recipients.includes(email) && /ends? soon/.test(subject))
/** The keys that a person was told of. */
const namesTo = (person: Person) =>
  to(person)
    .flatMap(({ text }) => text.match(/“[^”]*”/g) ?? [])
    .toSorted()
const untold = () =>
  server.sql(
    `SELECT id FROM api_keys WHERE end_told_at IS NULL AND expires_at > ?1 AND expires_at <= ?1 + ?2
     UNION ALL SELECT id FROM notices WHERE due_at IS NOT NULL`,
    [Date.now(), 7 * DAY_MS],
  )
/** Resolves once nobody is left to be told, so that what has not been sent by then is not sent. */
const allTold = () => becomes(untold, [], PATIENCE_MS)

test('a person hears once, a week before, of each key that ends, and can stop it', async () => {
  const person = await newPerson()
  const ids = [await mint(person, 'nightly', 30), await mint(person, 'weekly', 30)]
  const others = [await mint(person, 'revoked', 30), await mint(person, 'rotated', 30), await mint(person, 'far', 60)]
  await mint(person, 'short', 3)
  await person.api('DELETE', `/api/me/keys?id=${others[0]}`)
  expect((await person.api('POST', `/api/me/keys/${others[1]}/rotate`, {})).status).toBe(201)
  await allTold()
  expect(to(person)).toEqual([])
  await age([...ids, ...others], 25)
  await becomes(() => namesTo(person), ['“nightly”', '“weekly”'], PATIENCE_MS)
  await allTold()
  const [mail] = to(person)
  expect(mail?.text).toContain(`${server.origin}/dashboard/keys`)
  expect(mail?.text).not.toMatch(/revoked|rotated|far|short/)
  // Told once.
  await age(ids, 1)
  await allTold()
  expect(namesTo(person)).toHaveLength(2)

  const stop = /^<(.*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  const stopped = await fetch(stop, { method: 'POST', body })
  expect([stopped.status, await stopped.text()]).toEqual([200, expect.stringContaining('API keys ends in a week')])
  const settings = await (await person.fetch('/dashboard/settings')).text()
  expect(settings).toMatch(/name="keyEnds"(?![^>]*checked)/)
  await age([others[2]!], 30)
  await allTold()
  expect(namesTo(person)).not.toContain('“far”')
})

test('a week is seven days: not an hour sooner, and nobody who made a key for a week is told of it', async () => {
  const person = await newPerson()
  const hour = 1 / 24
  // The week begins in an hour, began an hour ago, and lasted from the first day.
  const ids = [await mint(person, 'not yet', 30), await mint(person, 'now', 30), await mint(person, 'for a week', 7)]
  const eight = await mint(person, 'for eight days', 8)
  await age([ids[0]!], 23 - hour)
  await age([ids[1]!, ids[2]!], hour)
  await age([ids[1]!], 23)
  await age([eight], 1 + hour)
  await becomes(() => namesTo(person), ['“for eight days”', '“now”'], PATIENCE_MS)
  await allTold()
  expect(namesTo(person)).toEqual(['“for eight days”', '“now”'])
  await age([ids[0]!], 2 * hour)
  await becomes(() => namesTo(person), ['“for eight days”', '“not yet”', '“now”'], PATIENCE_MS)
})

test('of an organisation’s key its admins hear, wherever its maker is, and nobody else', async () => {
  const [founder, admin, editor] = [await newPerson(), await newPerson(), await newPerson()]
  const [disabled, unproven] = [await newPerson(), await newPerson()]
  const { id } = await newOrganization(founder, [
    [admin, 'admin'],
    [editor, 'editor'],
    [disabled, 'admin'],
    [unproven, 'admin'],
  ])
  await server.sql('UPDATE user SET disabled_at = 1 WHERE id = ? RETURNING 1', [disabled.userId])
  await server.sql('UPDATE user SET email_verified = 0 WHERE id = ? RETURNING 1', [unproven.userId])
  await actFor(founder, id)
  await age([await mint(founder, 'of the team', 30)], 25)
  await becomes(() => [founder, admin].map((person) => to(person).length), [1, 1], PATIENCE_MS)
  expect(to(admin)[0]?.text).toContain('“of the team”')
  expect([editor, disabled, unproven].flatMap(to)).toEqual([])
})
