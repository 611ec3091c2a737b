import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBundle } from './bundles.ts'
import { median, table } from './figures.ts'
import { fileStore, startService } from './processes.ts'
import { loadForSeconds } from './wrk.ts'

// `bun run bench:policies`: launchers whose policy has 50 rules against launchers without a policy, alternating.
// Viewers match no rule, so every condition is evaluated and the page has the same size on both sides.

/** All fit in the launcher cache, which counts a compiled policy of 250 conditions as about 170 KB of its 32 MB. */
const BUNDLES = 100
const RULES = 50
const ROUNDS = 8
const ROUND_SECONDS = 2
const GOAL = 0.85

const FIELDS = ['country', 'language', 'device', 'query.utm_campaign', 'referrerDomain'] as const

/** A rule of five conditions that no viewer of the bench matches. */
function rule(number: number) {
  const leaves = FIELDS.map((field) => ({ op: 'equals', field, value: `none-${number}` }))
  return { name: `Rule ${number}`, when: { op: 'or', of: leaves }, tabs: [{ url: `https://example.com/${number}` }] }
}

async function createBundles(origin: string, resolutionPolicy: unknown): Promise<string[]> {
  const slugs: string[] = []
  for (let number = 0; number < BUNDLES; number += 1) {
    const urls = [`https://example.com/${number}`, 'https://example.org/']
    slugs.push(await makeBundle(origin, { urls, resolutionPolicy }))
  }
  return slugs
}

async function bench(folder: string): Promise<void> {
  const service = await startService(fileStore(join(folder, 'bench.db')), '/')
  const file = async (name: string, policy: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, (await createBundles(service.origin, policy)).join('\n'))
    return path
  }
  const without = await file('without', null)
  const withPolicy = await file('with', { version: 1, rules: Array.from({ length: RULES }, (_, index) => rule(index)) })
  const perSecond = async (slugs: string) =>
    (await loadForSeconds('launchers', service.origin, slugs, ROUND_SECONDS)).answered / ROUND_SECONDS
  const ratios: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plain = await perSecond(without)
    const ratio = (await perSecond(withPolicy)) / plain
    if (round > 0) ratios.push(ratio)
  }
  await service.stop()
  const ratio = median(ratios)
  const figure = `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  const goal = `at least ${GOAL.toFixed(2)}`
  console.log(table([{ label: `Launchers with ${RULES} rules, of those without`, figure, goal, isMet: ratio >= GOAL }]))
  if (ratio < GOAL) process.exitCode = 1
}

const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
