import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBundle, saveAnswer } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { fileStore, type Server, startBare, startService } from './processes.ts'
import { loadForSeconds } from './wrk.ts'

// `bun run bench:variables`: launchers of ten links that are filled with another value by each request, without rules and with
// rules on the value, against the bare runtime sending one such page. All alternate.

const BUNDLES = 100
const VALUES = 100
const RULES = 10
const ROUNDS = 8
const ROUND_SECONDS = 2
const GOAL = 0.25

const TOOLS = ['crm', 'billing', 'help', 'logs', 'metrics', 'mail', 'files', 'orders', 'returns', 'reviews']

/** Ten links, each of a customer, with notes. */
function contentOf(number: number) {
  return {
    title: 'Customer {customer}',
    description: `What we know of customer {customer}, team ${number}.`,
    variables: [
      { name: 'customer', label: 'Customer number', example: '4711' },
      { name: 'region', default: 'eu', options: ['eu', 'us', 'ap'] },
    ],
    urls: TOOLS.map((tool) => `https://${tool}.example.com/{region}/customers/{customer}?team=${number}`),
    urlMetadata: TOOLS.map((tool) => ({ note: `${tool} of {customer}` })),
  }
}

/** Rules on the value, of which a tenth of the values match each, with as many links as without one. */
function policyOf(number: number) {
  const { urls, urlMetadata } = contentOf(number)
  const tabs = urls.map((url, at) => ({ url, ...urlMetadata[at] }))
  const rules = Array.from({ length: RULES }, (_, rule) => ({
    name: `Rule ${rule}`,
    when: { op: 'startsWith', field: 'query.customer', value: `${rule}-` },
    tabs,
  }))
  return { version: 1, rules }
}

async function createBundles({ origin }: Server, isRuled: boolean): Promise<string[]> {
  const slugs: string[] = []
  for (let number = 0; number < BUNDLES; number += 1) {
    const resolutionPolicy = isRuled ? policyOf(number) : null
    slugs.push(await makeBundle(origin, { ...contentOf(number), resolutionPolicy }))
  }
  return slugs
}

async function bench(folder: string): Promise<void> {
  const service = await startService(fileStore(join(folder, 'bench.db')), '/')
  const file = async (name: string, isRuled: boolean) => {
    const slugs = await createBundles(service, isRuled)
    const asked = slugs.flatMap((slug, number) =>
      Array.from({ length: VALUES }, (_, value) => `${slug}?customer=${value % RULES}-${number * VALUES + value}`),
    )
    const path = join(folder, name)
    writeFileSync(path, asked.join('\n'))
    return { path, first: asked[0] ?? '' }
  }
  const plain = await file('plain', false)
  const ruled = await file('ruled', true)
  const saved = join(folder, 'filled.json')
  await saveAnswer(`${service.origin}/l/${plain.first}`, { 'accept-encoding': 'gzip, deflate, br' }, saved)
  const bare = await startBare('launchers', saved)
  const round = async (server: Server, slugFile: string) => {
    const before = server.processorMs()
    const { answered, p99Ms } = await loadForSeconds('launchers', server.origin, slugFile, ROUND_SECONDS)
    return {
      perSecond: answered / ROUND_SECONDS,
      p99Ms,
      microseconds: ((server.processorMs() - before) * 1000) / answered,
    }
  }
  const rounds: Record<'bare' | 'plain' | 'ruled', Awaited<ReturnType<typeof round>>>[] = []
  for (let number = 0; number <= ROUNDS; number += 1) {
    const figures = {
      bare: await round(bare, plain.path),
      plain: await round(service, plain.path),
      ruled: await round(service, ruled.path),
    }
    // The first round warms up.
    if (number > 0) rounds.push(figures)
  }
  await bare.stop()
  await service.stop()
  const rowsOf = (label: string, side: 'plain' | 'ruled'): Row[] => {
    const ratio = median(rounds.map((figures) => figures[side].perSecond / figures.bare.perSecond))
    const both = (figure: 'perSecond' | 'p99Ms' | 'microseconds', digits: number) =>
      [side, 'bare' as const]
        .map((of) => median(rounds.map((figures) => figures[of][figure])))
        .map((middle) => middle.toLocaleString('en', { maximumFractionDigits: digits }))
        .join(' to ')
    return [
      {
        label: `${label} per second, of bare`,
        figure: `${ratio.toFixed(2)} (${both('perSecond', 0)})`,
        goal: `at least ${GOAL.toFixed(2)}`,
        isMet: ratio >= GOAL,
      },
      { label: '  p99, ms', figure: both('p99Ms', 2) },
      { label: '  processor time each, µs', figure: both('microseconds', 1) },
    ]
  }
  const rows = [...rowsOf('Filled launchers', 'plain'), ...rowsOf(`With ${RULES} rules on the value`, 'ruled')]
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
}

const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
