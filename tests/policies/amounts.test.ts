import { expect, test } from 'bun:test'
import type { Condition, Policy, Traced } from '../../db/policy.ts'
import { bundles } from '../../db/schema.ts'
import { BlockedHosts } from '../../src/abuse/hosts.ts'
import { Launchers } from '../../src/launcher/launchers.ts'
import { compile } from '../../src/policies/evaluate.ts'
import { Policy as Shape } from '../../src/policies/shapes.ts'
import { describedViewer } from '../../src/policies/viewer.ts'
import { log, newFixture } from '../insights/support.ts'
import { prng } from '../prng.ts'
import { naiveHolds, naiveMatch } from './naive.ts'
import { RandomPolicies } from './random.ts'

// Thousands of policies, viewers and conditions.

test('any policy gives any viewer the same rule as a naive implementation, in match and in trace', () => {
  const random = new RandomPolicies(prng(20260729))
  let matched = 0
  for (let round = 0; round < 2500; round += 1) {
    const policy = random.policy()
    expect<unknown>(Shape(policy)).toEqual(policy)
    const compiled = compile(policy)
    for (let viewers = 0; viewers < 8; viewers += 1) {
      const sent = random.viewer()
      const viewer = describedViewer(sent, 0)
      const expected = naiveMatch(policy, sent)
      const found = compiled.match(viewer)
      if (found !== expected) expect({ policy, sent, found }).toEqual({ policy, sent, found: expected })
      const trace = compiled.trace(viewer)
      const wrong = trace.filter(({ condition }, index) => !isTrue(condition, policy.rules[index]!.when, sent))
      expect({ wrong, first: trace.find((rule) => rule.matched)?.ruleId ?? null }).toEqual({
        wrong: [],
        first: expected?.id ?? null,
      })
      if (found !== null) matched += 1
    }
  }
  // Neither nearly all nor nearly none may match, or the test would show little.
  expect(matched).toBeGreaterThan(8000)
  expect(matched).toBeLessThan(19_500)
}, 180_000)

/** Whether a trace agrees with the naive implementation at every node. */
function isTrue(traced: Traced, condition: Condition, viewer: Parameters<typeof naiveHolds>[1]): boolean {
  if (traced.matched !== naiveHolds(condition, viewer) || traced.op !== condition.op) return false
  if (!('of' in traced) || !('of' in condition)) return true
  return (
    traced.of.length === condition.of.length && traced.of.every((part, at) => isTrue(part, condition.of[at]!, viewer))
  )
}

test('a policy that has seen many viewers answers each like a new one', () => {
  const random = new RandomPolicies(prng(4))
  for (let round = 0; round < 60; round += 1) {
    const policy = random.policy()
    const compiled = compile(policy)
    const viewers = Array.from({ length: 150 }, () => random.viewer())
    // The same facts at other times, and other facts at the same time.
    const again = viewers.map((viewer) => ({ ...viewer, now: random.pick(viewers).now! }))
    const query = { ref: 'a;1:b', utm_campaign: `x;${'y'.repeat(400)}` }
    for (const sent of [...viewers, ...again, ...viewers, { query }, { query: { ref: 'a' } }]) {
      const fresh = compile(policy).match(describedViewer(sent, 0))
      expect(compiled.match(describedViewer(sent, 0))).toBe(fresh)
    }
  }
})

test('compiled policies with thousands of conditions stay within the cache’s bound', async () => {
  const fixture = await newFixture('2026-07-01T00:00:00Z')
  const when: Condition = { op: 'or', of: Array.from({ length: 4000 }, () => ({ op: 'exists', field: 'os' })) }
  const resolutionPolicy: Policy = {
    version: 1,
    rules: [{ id: 'r_0000000000', name: 'one', when, tabs: [{ url: 'https://a.example/' }] }],
  }
  const row = { urls: ['https://a.example'], urlMetadata: [{}], source: 'api' as const, createdAt: 0, updatedAt: 0 }
  const slugs = Array.from({ length: 60 }, (_, index) => `long${index}`)
  for (const slug of slugs)
    await fixture.store.db.insert(bundles).values({ ...row, slug, slugHash: `#${slug}`, resolutionPolicy })
  const launchers = await Launchers.start(fixture.store, log, BlockedHosts.open(undefined, log), 32 * 2 ** 20)
  Bun.gc(true)
  const before = process.memoryUsage().heapUsed
  for (const slug of slugs) await launchers.load(slug)
  Bun.gc(true)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(48 * 1024 * 1024)
  expect(launchers.peek('long59')).toBeDefined()
  launchers.stop()
  await fixture.close()
}, 180_000)
