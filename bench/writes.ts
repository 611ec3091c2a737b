import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInProcess } from '../tests/in-process.ts'
import { mintKey } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { fileStore, type Server, startBareStore, startService, WITHOUT_LIMITS } from './processes.ts'
import { patchClient, type Recorded, recordSteps } from './recorded.ts'
import { callForSeconds, findWrk, GRACE_SECONDS, loadForSeconds } from './wrk.ts'

// `bun run bench:writes [operation ...]`: the API with a file against Elysia and the client running the same SQL, with 1, 16
// and 64 connections, and launchers during eight creators. Brackets give operations per second and processor time for
// one, ours to bare.

const BUNDLES = 500
const ROUNDS = 3
const ROUND_SECONDS = 2
const CONNECTIONS = [1, 16, 64]
const CREATORS = 8
const SECRET = 'a secret of the bench, forty characters long'
/** Differs from every other number in the statements, so that a replay can substitute it. */
const RECORDED_VERSION = 41

const OPERATIONS = ['create', 'edit', 'get', 'list', 'insights'] as const
type Operation = (typeof OPERATIONS)[number]

interface Prepared {
  file: string
  recorded: string
  key: string
  slugs: string[]
}

async function prepare(folder: string): Promise<Prepared> {
  patchClient()
  const server = await startInProcess({ SERVICE_SECRET: SECRET, ...WITHOUT_LIMITS })
  const bench: Server = { ...server, firstAnswerMs: 0, residentMb: () => 0, processorMs: () => 0, stop: async () => {} }
  const key = await mintKey(bench)
  const slugs = await makeBundles(bench, BUNDLES, key)
  const slug = slugs[BUNDLES - 1] ?? ''
  await server.sql('UPDATE bundle_versions SET version_number = ? WHERE bundle_id = ?', [RECORDED_VERSION, BUNDLES])
  await server.sql('UPDATE bundles SET version_number = ? WHERE id = ?', [RECORDED_VERSION, BUNDLES])
  const [row] = await server.sql('SELECT id FROM bundles WHERE slug = ?', [slug])
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const record = async (operation: Operation): Promise<Recorded> => {
    const [method = '', path, body] = lineOf(operation, slug)
    let recordedSlug = slug
    const call = async () => {
      const answer = await fetch(`${server.origin}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const result = (await answer.json()) as { slug?: string }
      if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${JSON.stringify(result)}`)
      if (operation === 'create') recordedSlug = result.slug ?? ''
    }
    // Fills the service's caches first.
    if (operation !== 'edit') await call()
    const steps = await recordSteps(call)
    return { steps, slug: recordedSlug, id: Number(row?.id), version: RECORDED_VERSION }
  }
  const recorded: Partial<Record<Operation, Recorded>> = {}
  for (const operation of OPERATIONS) recorded[operation] = await record(operation)
  const prepared = { file: join(folder, 'start.db'), recorded: join(folder, 'recorded.json'), key, slugs }
  writeFileSync(prepared.recorded, JSON.stringify(recorded))
  await server.sql('PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(server.database, prepared.file)
  await server.stop()
  return prepared
}

function lineOf(operation: Operation, slug: string): [method: string, path: string, body?: string] {
  if (operation === 'create') return ['POST', '/api/links', JSON.stringify(contentOf(1))]
  if (operation === 'edit') return ['PATCH', `/api/links/${slug}`, JSON.stringify({ title: 'A title of another edit' })]
  if (operation === 'list') return ['GET', '/api/me/links']
  return ['GET', operation === 'get' ? `/api/links/${slug}` : `/api/links/${slug}/insights?range=90d`]
}

const SIDES = ['bare', 'ours'] as const
type Side = (typeof SIDES)[number]

/** One round: answers per second, and the server's processor time per answer in ms. */
type Round = Record<Side, { rate: number; processorMs: number }>

/** Each round starts with the same file, because writes change it. */
async function compareWrites(
  operation: Operation,
  connections: number,
  prepared: Prepared,
  folder: string,
): Promise<Row> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const each = async (side: Side) => {
      const server = await start(side, prepared, folder)
      // The runtime compiles the code first, as in the other benches.
      await measure(server, operation, connections, prepared, folder)
      const measured = await measure(server, operation, connections, prepared, folder)
      await server.stop()
      return measured
    }
    rounds.push({ bare: await each('bare'), ours: await each('ours') })
  }
  return rowOf(operation, connections, rounds)
}

/** Reads change nothing, so both servers stay up; the first round warms them up. */
async function compareReads(operation: Operation, prepared: Prepared, folder: string): Promise<Row[]> {
  const [bare, ours] = [await start('bare', prepared, folder), await start('ours', prepared, folder)]
  const rows: Row[] = []
  for (const connections of CONNECTIONS) {
    const rounds: Round[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      rounds.push({
        bare: await measure(bare, operation, connections, prepared, folder),
        ours: await measure(ours, operation, connections, prepared, folder),
      })
    }
    rows.push(rowOf(operation, connections, rounds.slice(1)))
  }
  await bare.stop()
  await ours.stop()
  return rows
}

async function measure(
  server: Server,
  operation: Operation,
  connections: number,
  { slugs, key }: Prepared,
  folder: string,
) {
  const calls = join(folder, 'calls')
  writeFileSync(calls, slugs.map((slug) => lineOf(operation, slug).join(' ')).join('\n'))
  const from = server.processorMs()
  const grace = isRead(operation) ? GRACE_SECONDS : undefined
  const { answered } = await callForSeconds(server.origin, { file: calls, key, connections }, ROUND_SECONDS, grace)
  return { rate: answered / ROUND_SECONDS, processorMs: (server.processorMs() - from) / answered }
}

function rowOf(operation: Operation, connections: number, rounds: Round[]): Row {
  const ratio = median(rounds.map(({ ours, bare }) => ours.rate / bare.rate))
  const goal = operation === 'create' && connections === 16 ? 1.2 : 0.8
  const middle = (side: Side, of: 'rate' | 'processorMs') => median(rounds.map((round) => round[side][of]))
  const [rates, times] = (['rate', 'processorMs'] as const).map((of) =>
    (['ours', 'bare'] as const).map((side) => middle(side, of).toFixed(of === 'rate' ? 0 : 2)).join(' to '),
  )
  return {
    label: `${operation}, ${connections} at a time`,
    figure: `${ratio.toFixed(2)} (${rates}; ${times} ms)`,
    goal: `at least ${goal}`,
    isMet: ratio >= goal,
  }
}

function isRead(operation: Operation): boolean {
  return operation === 'get' || operation === 'list' || operation === 'insights'
}

/** Starts a side with its own copy of the prepared file. */
function start(side: Side, { file, recorded }: Prepared, folder: string): Promise<Server> {
  const own = join(folder, `${side}.db`)
  for (const end of ['-wal', '-shm']) rmSync(own + end, { force: true })
  copyFileSync(file, own)
  return side === 'bare'
    ? startBareStore(own, recorded)
    : startService({ ...fileStore(own), SERVICE_SECRET: SECRET }, '/')
}

async function launchersDuringCreates(prepared: Prepared, folder: string): Promise<Row> {
  const [slugs, calls] = [join(folder, 'slugs'), join(folder, 'creates')]
  writeFileSync(slugs, prepared.slugs.join('\n'))
  writeFileSync(calls, lineOf('create', '').join(' '))
  const pairs: { alone: number; during: number; creates: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start('ours', prepared, folder)
    await loadForSeconds('launchers', server.origin, slugs, 1)
    const alone = await loadForSeconds('launchers', server.origin, slugs, ROUND_SECONDS)
    const [during, creates] = await Promise.all([
      loadForSeconds('launchers', server.origin, slugs, ROUND_SECONDS),
      callForSeconds(server.origin, { file: calls, key: prepared.key, connections: CREATORS }, ROUND_SECONDS),
    ])
    await server.stop()
    pairs.push({ alone: alone.answered, during: during.answered, creates: creates.answered })
  }
  const ratio = median(pairs.map(({ alone, during }) => during / alone))
  const perSecond = (of: 'alone' | 'during' | 'creates') =>
    (median(pairs.map((pair) => pair[of])) / ROUND_SECONDS).toFixed(0)
  return {
    label: `Launchers during ${CREATORS} creators, of alone`,
    figure: `${ratio.toFixed(2)} (${perSecond('during')} to ${perSecond('alone')}, and ${perSecond('creates')} creates)`,
    goal: 'at least 0.3',
    isMet: ratio >= 0.3,
  }
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const only = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  const prepared = await prepare(folder)
  const rows: Row[] = []
  if (only.length === 0 || only.includes('launchers')) rows.push(await launchersDuringCreates(prepared, folder))
  for (const operation of OPERATIONS.filter((operation) => only.length === 0 || only.includes(operation))) {
    if (isRead(operation)) rows.push(...(await compareReads(operation, prepared, folder)))
    else for (const connections of CONNECTIONS) rows.push(await compareWrites(operation, connections, prepared, folder))
  }
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
