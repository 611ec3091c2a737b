import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeStartPage } from './api.ts'
import { makeBundles, saveAnswer, saveLauncher } from './bundles.ts'
import { checkCounts, median, type Row, table } from './figures.ts'
import { fileStore, type Server, startBare, startService } from './processes.ts'
import { findWrk, loadForSeconds, loadRequests, type Workload } from './wrk.ts'

// `bun run bench`: the service as shipped against the bare runtime with the same workload. See bench/README.md.

const STARTS = 7
const REQUESTS_BEFORE_MEMORY = 100_000
const ROUNDS = 12
const ROUND_SECONDS = 2
/** If bare rounds differ by more than this, the machine had other work and the ratios say little. */
const MAX_SPREAD = 1.25
/** Enough that none of them reaches its limit. */
const NETWORKS = 50_000
const LABELS: Record<Workload, string> = { launchers: 'Launchers', events: 'Events', 'start-pages': 'Start pages' }

interface Run {
  database: string
  slugs: string[]
  slugFile: string
  launcherFile: string
  /** A start page as it is sent, and the lines of `start-pages.lua`. */
  startFile: string
  networkFile: string
  /** Answers to wrk, which the counts must equal. The bench's own requests are not counted: its client is a bot. */
  answered: Record<Exclude<Workload, 'start-pages'>, number>
}

async function bench(folder: string): Promise<void> {
  const run = await prepare(folder)
  const rows = [await firstAnswer(run)]
  const service = await startService(fileStore(run.database), `/l/${run.slugs[0]}`)
  const bare = await startBare('launchers', run.launcherFile)
  rows.push(...(await memory(run, service, bare)))
  rows.push(...(await rounds(run, 'launchers', service, bare, 0.5)))
  await bare.stop()
  const bareEvents = await startBare('events')
  rows.push(...(await rounds(run, 'events', service, bareEvents, 0.4)))
  await bareEvents.stop()
  await service.stop()
  const behindProxy = { ...fileStore(run.database), SERVICE_CLIENT_IP_HEADER: 'x-client' }
  const starts = await startService(behindProxy, '/')
  const bareStarts = await startBare('launchers', run.startFile)
  rows.push(...(await rounds(run, 'start-pages', starts, bareStarts, 0.25)))
  await bareStarts.stop()
  await starts.stop()
  // After the service has stopped, so that counts which SIGTERM left unwritten would be missing.
  rows.push(...checkCounts(run.database, { views: run.answered.launchers, open_all_clicks: run.answered.events }))
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
}

async function prepare(folder: string): Promise<Run> {
  const run = {
    database: join(folder, 'bench.db'),
    slugFile: join(folder, 'slugs'),
    launcherFile: join(folder, 'launcher.json'),
    startFile: join(folder, 'start.json'),
    networkFile: join(folder, 'networks'),
    answered: { launchers: 0, events: 0 },
  }
  const service = await startService(fileStore(run.database), '/')
  const slugs = await makeBundles(service)
  writeFileSync(run.slugFile, slugs.join('\n'))
  await saveLauncher(service, slugs[0]!, run.launcherFile)
  const path = await makeStartPage(service)
  await saveAnswer(`${service.origin}${path}`, { 'accept-encoding': 'gzip, deflate, br' }, run.startFile)
  const networks = Array.from(
    { length: NETWORKS },
    (_, number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
  )
  writeFileSync(run.networkFile, networks.map((network) => `${path} ${network}`).join('\n'))
  await service.stop()
  return { ...run, slugs }
}

async function firstAnswer(run: Run): Promise<Row> {
  const times: number[] = []
  for (const slug of run.slugs.slice(0, STARTS)) {
    const service = await startService(fileStore(run.database), `/l/${slug}`)
    times.push(service.processorMs())
    await service.stop()
  }
  const ms = median(times)
  return { label: 'Processor time of the start, ms', figure: ms.toFixed(0), goal: 'at most 800', isMet: ms <= 800 }
}

async function memory(run: Run, service: Server, bare: Server): Promise<Row[]> {
  for (const server of [bare, service]) {
    await loadRequests('launchers', server.origin, run.slugFile, REQUESTS_BEFORE_MEMORY)
  }
  run.answered.launchers += REQUESTS_BEFORE_MEMORY
  const [ours, theirs] = [service.residentMb(), bare.residentMb()]
  return [
    {
      label: 'Resident memory above bare, MB',
      figure: `${(ours - theirs).toFixed(0)} (${ours.toFixed(0)} to ${theirs.toFixed(0)})`,
      goal: 'at most 150',
      isMet: ours - theirs <= 150,
    },
  ]
}

interface Round {
  perSecond: number
  p99: number
  /** Processor time per answer. */
  microseconds: number
}

/** Bare and ours alternate, so that other load on the machine affects both; the first round warms up. */
async function rounds(run: Run, workload: Workload, service: Server, bare: Server, goal: number): Promise<Row[]> {
  const pairs: { ours: Round; theirs: Round }[] = []
  for (let number = 0; number <= ROUNDS; number += 1) {
    const theirs = await round(run, workload, bare)
    const ours = await round(run, workload, service)
    if (workload !== 'start-pages') run.answered[workload] += ours.answered
    if (number > 0) pairs.push({ ours, theirs })
  }
  const ratio = median(pairs.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond))
  const both = (figure: keyof Round, digits: number) =>
    (['ours', 'theirs'] as const)
      .map((of) => median(pairs.map((pair) => pair[of][figure])))
      .map((middle) => middle.toLocaleString('en', { maximumFractionDigits: digits }))
      .join(' to ')
  const rates = pairs.map(({ theirs }) => theirs.perSecond)
  const spread = Math.max(...rates) / Math.min(...rates)
  return [
    {
      label: `${LABELS[workload]} per second, of bare`,
      figure: `${ratio.toFixed(2)} (${both('perSecond', 0)})`,
      goal: `at least ${goal.toFixed(2)}`,
      isMet: ratio >= goal,
    },
    { label: '  p99, ms', figure: both('p99', 2) },
    { label: '  processor time each, µs', figure: both('microseconds', 1) },
    {
      label: '  fastest to slowest bare round',
      figure: `${spread.toFixed(2)}${spread > MAX_SPREAD ? ', busy machine' : ''}`,
    },
  ]
}

async function round(run: Run, workload: Workload, server: Server): Promise<Round & { answered: number }> {
  const before = server.processorMs()
  const file = workload === 'start-pages' ? run.networkFile : run.slugFile
  const { answered, p99Ms } = await loadForSeconds(workload, server.origin, file, ROUND_SECONDS)
  const microseconds = ((server.processorMs() - before) * 1000) / answered
  return { answered, perSecond: answered / ROUND_SECONDS, p99: p99Ms, microseconds }
}

if (findWrk() === null) {
  console.error('The bench needs wrk: install it (Debian: apt install wrk).')
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  await bench(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
