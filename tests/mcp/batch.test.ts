import { expect, setDefaultTimeout, test } from 'bun:test'
import { onEveryRuntime } from '../contract/support.ts'
import { arrive } from '../people.ts'
import { callOf, send } from './support.ts'

setDefaultTimeout(60_000)

onEveryRuntime({}, (at) => {
  test('the messages of a batch are answered in turn until their answers are too long together, and the rest not done', async () => {
    const person = await arrive(at())
    const { body: minted } = await person.api<{ rawKey: string }>('POST', '/api/me/keys', { name: 'Batch' })
    const lists = Array.from({ length: 98 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    const make = (id: number) => callOf('create_bundle', { urls: ['https://a.example/'], title: `Made ${id}` }, id)
    const answers = (await send(at(), [make(-1), ...lists, make(98)], { authorization: `Bearer ${minted.rawKey}` }))
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
    expect(body.bundles.map(({ title }) => title)).toEqual(['Made -1'])
  })
})
