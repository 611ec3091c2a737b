import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { becomes } from '../eventually.ts'
import { NOWHERE } from '../parity/world.ts'
import { newEmail, newPerson, type Person, URL_A, Visitor } from '../people.ts'
import { onEveryProcess } from '../targets.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

onEveryProcess({ SERVICE_OUTGOING_PRIVATE_NETWORKS: 'true' }, (at) => {
  const newKey = () => newEmail('a-key-nobody-guesses')
  const send = (who: Visitor, path: string, body: unknown, key: string) =>
    who.api<Record<string, string>>('POST', path, body, { 'idempotency-key': key })

  /** Moves stored answers this many minutes into the past. */
  const age = (minutes: number) =>
    at().sql('UPDATE idempotency_answers SET created_at = created_at - ? RETURNING 1', [minutes * MINUTE_MS])

  test('an idempotency key lives 24 hours: a minute before the end it repeats the first answer, a minute after it is new', async () => {
    const person: Person = await newPerson(at())
    const calls = [
      [new Visitor(at()), '/api/links', { urls: [URL_A] }, 'slug'],
      [person, '/api/links', { urls: [URL_A] }, 'slug'],
      [person, '/api/me/keys', { name: 'a key' }, 'rawKey'],
    ] as const
    for (const [who, path, body, answer] of calls) {
      const key = newKey()
      const first = await send(who, path, body, key)
      await age(DAY_MINUTES - 1)
      const before = await send(who, path, body, key)
      expect([before.headers.get('idempotency-replayed'), before.body]).toEqual(['true', first.body])
      await age(2)
      const after = await send(who, path, body, key)
      expect([after.status, after.headers.get('idempotency-replayed')]).toEqual([201, null])
      expect(after.body[answer]).not.toBe(first.body[answer])
      // From here on the key belongs to the second call, for its own 24 hours.
      const again = await send(who, path, body, key)
      expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', after.body])
    }
  })

  test('after 24 hours the key may be used with another body, and before that it is a conflict', async () => {
    const visitor = new Visitor(at())
    const key = newKey()
    await send(visitor, '/api/links', { urls: [URL_A] }, key)
    await age(DAY_MINUTES - 1)
    expect((await send(visitor, '/api/links', { urls: [URL_A], title: 'other' }, key)).status).toBe(409)
    await age(2)
    expect((await send(visitor, '/api/links', { urls: [URL_A], title: 'other' }, key)).status).toBe(201)
  })

  test('one account keeps 8 MiB of answers: beyond it the oldest go, and only its own', async () => {
    const [person, other] = [await newPerson(at()), await newPerson(at())]
    const [first, others] = [newKey(), newKey()]
    const isRepeated = async (who: Person, key: string) =>
      (await send(who, '/api/links', { urls: [URL_A] }, key)).headers.get('idempotency-replayed') === 'true'
    await send(other, '/api/links', { urls: [URL_A] }, others)
    await send(person, '/api/links', { urls: [URL_A] }, first)
    const size = (bytes: number) =>
      at().sql('UPDATE owners SET answer_bytes = ? WHERE user_id = ? RETURNING 1', [bytes, person.userId])
    await size(8 * 2 ** 20 - 64 * 1024)
    await send(person, '/api/links', { urls: [URL_A] }, newKey())
    expect(await isRepeated(person, first)).toBe(true)
    await size(8 * 2 ** 20)
    const last = newKey()
    await send(person, '/api/links', { urls: [URL_A] }, last)
    expect([await isRepeated(person, last), await isRepeated(other, others)]).toEqual([true, true])
    expect(await isRepeated(person, first)).toBe(false)
  })

  test('the sweep at the start deletes answers after 24 hours, and none before', async () => {
    const visitor = new Visitor(at())
    const answers = async () => (await at().sql('SELECT count(*) AS n FROM idempotency_answers'))[0]?.n
    await at().sql('DELETE FROM idempotency_answers RETURNING 1')
    await send(visitor, '/api/links', { urls: [URL_A] }, newKey())
    await age(2)
    const key = newKey()
    const kept = await send(visitor, '/api/links', { urls: [URL_A] }, key)
    await age(DAY_MINUTES - 1)
    expect(await answers()).toBe(2)
    await at().kill()
    await at().restart()
    await becomes(answers, 1)
    const again = await send(visitor, '/api/links', { urls: [URL_A] }, key)
    expect(again.body).toEqual(kept.body)
  })

  test('after a restart the first answer is given again to who holds the key, and nobody can read it from the files', async () => {
    const person = await newPerson(at())
    const calls = [
      [new Visitor(at()), '/api/links', { urls: [URL_A] }, 'claimToken'],
      [person, '/api/me/keys', { name: 'a key' }, 'rawKey'],
      [person, '/api/me/webhooks', { url: NOWHERE, events: ['bundle.created'] }, 'secret'],
    ] as const
    const key = newKey()
    const firsts = []
    for (const [who, path, body] of calls) firsts.push(await send(who, path, body, `${key} ${path}`))
    await at().kill()
    const bytes = Buffer.concat(
      at()
        .files()
        .map((path) => readFileSync(path)),
    )
    const secrets = firsts.map(({ body }, index) => String(body[calls[index]![3]]))
    expect(
      [key, ...secrets, ...secrets.map((secret) => secret.slice(-32))].filter((text) => bytes.includes(text)),
    ).toEqual([])
    expect(bytes.includes(firsts[0]!.body.slug ?? '')).toBe(true)
    await at().restart()
    for (const [index, [who, path, body]] of calls.entries()) {
      const again = await send(who, path, body, `${key} ${path}`)
      expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', firsts[index]!.body])
    }
  })
})
