import { expect, test } from 'bun:test'
import { Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({ SERVICE_COUNT_FLUSH_MS: '60000' }, (at) => {
  test('counts are written no more often than the operator’s setting', async () => {
    const { url } = await new Visitor(at()).makeBundle()
    const look = async () => (await fetch(url, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/153.0' } })).text()
    // Longer than the default; the first flush comes soon after the start.
    const aWhile = () => Bun.sleep(1_200)
    await aWhile()
    await look()
    await aWhile()
    expect(await at().sql('SELECT views FROM daily_counters')).toEqual([])
  })
})
