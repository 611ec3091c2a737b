import { expect, test } from 'bun:test'
import { startInProcess } from '../in-process.ts'
import { arriveByMail, newPerson, type Person } from '../people.ts'

// Most tests make people by rows, without a request: what is then there must be what signing up by a mailed link leaves.

/** Ids, tokens and times differ; how they look does not. */
const shape = (value: unknown) =>
  typeof value === 'string' ? value.replace(/[0-9A-Za-z_+/-]{12,}/g, ({ length }) => `<${length}>`) : value
const isTime = (value: unknown) => typeof value === 'number' && value > 1e12

test('a person by rows is one who came by a mailed link, in every table and cookie', async () => {
  const server = await startInProcess()
  const tables = (await server.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")).map(
    ({ name }) => String(name),
  )
  const rows = async () =>
    new Map(await Promise.all(tables.map(async (name) => [name, await server.sql(`SELECT * FROM "${name}"`)] as const)))
  const left = async (arrive: () => Promise<Person>) => {
    const before = await rows()
    const person = await arrive()
    const after = await rows()
    const added = tables.flatMap((table) => {
      const old = new Set(before.get(table)?.map((row) => JSON.stringify(row)))
      return (after.get(table) ?? [])
        .filter((row) => table !== 'sqlite_sequence' && !old.has(JSON.stringify(row)))
        .map((row) => {
          const { id, owner_id, ...rest } = row
          const known = Object.entries(rest).map(([name, value]) => [
            name,
            isTime(value) ? 'a time' : shape(value === person.email ? 'the address' : value),
          ])
          return [table, typeof id === 'number' ? 'a number' : shape(id), typeof owner_id, Object.fromEntries(known)]
        })
    })
    const me = (await person.api('GET', '/api/me')).body
    const cookies = [...person.cookies].map(([name, value]) => [name, shape(decodeURIComponent(value))])
    expect(me.subject).toMatchObject({ userId: person.userId })
    return { added, cookies }
  }
  const mailed = await left(() => arriveByMail(server))
  const byRows = await left(() => newPerson(server))
  expect(mailed.added.length).toBeGreaterThan(2)
  expect(byRows).toEqual(mailed)
  await server.stop()
})
