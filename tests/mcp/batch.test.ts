import { expect, setDefaultTimeout, test } from 'bun:test'
import { newPerson } from '../people.ts'
import { onEveryTarget } from '../targets.ts'
import { callOf, send } from './support.ts'

setDefaultTimeout(180_000)

onEveryTarget({}, (at) => {
  test('the messages of a batch are answered in order until their answers are too large together; the rest are not executed', async () => {
    const person = await newPerson(at())
    const { body: minted } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'Batch' })
    const urls = Array.from({ length: 25 }, (_, index) => `https://a.example/${index}/`.padEnd(2000, 'x'))
    const { slug } = await person.makeBundle({ title: 'Large', urls })
    const reads = Array.from({ length: 98 }, (_, id) => callOf('get_bundle', { slug }, id))
    const make = (id: number) => callOf('create_bundle', { urls: ['https://a.example/'], title: `Made ${id}` }, id)
    const answers = (await send(at(), [make(-1), ...reads, make(98)], { authorization: `Bearer ${minted.rawKey}` }))
      .body as unknown as {
      id: number
      error?: { code: number; message: string }
    }[]
    expect(answers).toHaveLength(100)
    expect(JSON.stringify(answers).length).toBeLessThan(5 * 2 ** 20)
    const refused = answers.filter(({ error }) => error !== undefined)
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set([-32005]))
    expect(refused.at(-1)).toMatchObject({ id: 98, error: { message: expect.stringContaining('Nothing was done') } })
    const { body } = await person.api<{ bundles: { title: string }[] }>('GET', '/api/me/links')
    expect(body.bundles.map(({ title }) => title)).toEqual(['Made -1', 'Large'])
  })
})
