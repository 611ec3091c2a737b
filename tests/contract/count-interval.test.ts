import { expect, test } from 'bun:test'
import { Visitor } from '../people.ts'
import { onEveryTarget } from '../targets.ts'

onEveryTarget({ SERVICE_COUNT_FLUSH_MS: '60000' }, (at) => {
  test('counts are written no more often than the operator’s setting', async () => {
    const { url } = await new Visitor(at()).makeBundle()
    const written = new Set<unknown>()
    for (let views = 0; views < 5; views += 1) {
      await (await fetch(url, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/153.0' } })).text()
      // Longer than the default, which would write every view.
      await Bun.sleep(1_200)
      for (const row of await at().sql('SELECT views FROM daily_counters')) written.add(row.views)
    }
    // Whatever the setting, all is written once soon after the start, and once when earlier days are ended.
    expect([...written].length).toBeLessThanOrEqual(2)
  }, 180_000)
})
