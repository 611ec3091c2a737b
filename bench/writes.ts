import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHere } from '../tests/here.ts'
import { mintKey } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { median, type Row, table } from './figures.ts'
import { onFile, type Server, startBareStore, startService, WITHOUT_LIMITS } from './processes.ts'
import { listen, type Recorded, stepsOf } from './recorded.ts'
import { calling, findWrk, forSeconds, GRACE_SECONDS } from './wrk.ts'

// `bun run bench:writes [work ...]`: the API over a file against Elysia and the client with the same SQL, at 1, 16 and 64
// connections, and launchers beside eight creators. In brackets what is done a second and the server's time on a processor
// for one, ours to bare.

const BUNDLES = 500
const ROUNDS = 3
const ROUND_SECONDS = 2
const CONNECTIONS = [1, 16, 64]
const CREATORS = 8
const SECRET = 'a secret of the bench, forty characters long'
/** Told apart from every other number that a statement holds. */
const RECORDED_VERSION = 41

const WORKS = ['create', 'edit', 'get', 'list', 'insights'] as const
type Work = (typeof WORKS)[number]

interface Prepared {
  file: string
  recorded: string
  key: string
  slugs: string[]
}

async function prepare(folder: string): Promise<Prepared> {
  listen()
  const server = await startHere({ SERVICE_SECRET: SECRET, ...WITHOUT_LIMITS })
  const bench: Server = { ...server, firstAnswerMs: 0, residentMb: () => 0, processorMs: () => 0, stop: async () => {} }
  const key = await mintKey(bench)
  const slugs = await makeBundles(bench, BUNDLES, key)
  const slug = slugs[BUNDLES - 1] ?? ''
  await server.sql('UPDATE bundle_versions SET version_number = ? WHERE bundle_id = ?', [RECORDED_VERSION, BUNDLES])
  await server.sql('UPDATE bundles SET version_number = ? WHERE id = ?', [RECORDED_VERSION, BUNDLES])
  const [row] = await server.sql('SELECT id FROM bundles WHERE slug = ?', [slug])
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const record = async (work: Work): Promise<Recorded> => {
    const [method = '', path, body] = lineOf(work, slug)
    let made = slug
    const call = async () => {
      const answer = await fetch(`${server.origin}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const told = (await answer.json()) as { slug?: string }
      if (!answer.ok) throw new Error(`${work}: ${answer.status} ${JSON.stringify(told)}`)
      if (work === 'create') made = told.slug ?? ''
    }
    // A call before has filled what the service keeps in memory.
    if (work !== 'edit') await call()
    const steps = await stepsOf(call)
    return { steps, slug: made, id: Number(row?.id), version: RECORDED_VERSION }
  }
  const recorded: Partial<Record<Work, Recorded>> = {}
  for (const work of WORKS) recorded[work] = await record(work)
  const prepared = { file: join(folder, 'start.db'), recorded: join(folder, 'recorded.json'), key, slugs }
  writeFileSync(prepared.recorded, JSON.stringify(recorded))
  await server.sql('PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(server.database, prepared.file)
  await server.stop()
  return prepared
}

function lineOf(work: Work, slug: string): [method: string, path: string, body?: string] {
  if (work === 'create') return ['POST', '/api/links', JSON.stringify(contentOf(1))]
  if (work === 'edit') return ['PATCH', `/api/links/${slug}`, JSON.stringify({ title: 'A title of another edit' })]
  if (work === 'list') return ['GET', '/api/me/links']
  return ['GET', work === 'get' ? `/api/links/${slug}` : `/api/links/${slug}/insights?range=90d`]
}

const SIDES = ['bare', 'ours'] as const
type Side = (typeof SIDES)[number]

/** Of one round: answers a second, and the server's time on a processor for one, in ms. */
type Round = Record<Side, { rate: number; processorMs: number }>

/** Writes: each round begins with the same file. */
async function compareWrites(work: Work, connections: number, prepared: Prepared, folder: string): Promise<Row> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const each = async (side: Side) => {
      const server = await start(side, prepared, folder)
      const measured = await measure(server, work, connections, prepared, folder)
      await server.stop()
      return measured
    }
    rounds.push({ bare: await each('bare'), ours: await each('ours') })
  }
  return rowOf(work, connections, rounds)
}

/** Reads change nothing: both sides run all the while, and the first round warms them up. */
async function compareReads(work: Work, prepared: Prepared, folder: string): Promise<Row[]> {
  const [bare, ours] = [await start('bare', prepared, folder), await start('ours', prepared, folder)]
  const rows: Row[] = []
  for (const connections of CONNECTIONS) {
    const rounds: Round[] = []
    for (let round = 0; round <= ROUNDS; round += 1) {
      rounds.push({
        bare: await measure(bare, work, connections, prepared, folder),
        ours: await measure(ours, work, connections, prepared, folder),
      })
    }
    rows.push(rowOf(work, connections, rounds.slice(1)))
  }
  await bare.stop()
  await ours.stop()
  return rows
}

async function measure(server: Server, work: Work, connections: number, { slugs, key }: Prepared, folder: string) {
  const calls = join(folder, 'calls')
  writeFileSync(calls, slugs.map((slug) => lineOf(work, slug).join(' ')).join('\n'))
  const from = server.processorMs()
  const grace = isRead(work) ? GRACE_SECONDS : undefined
  const { answered } = await calling(server.origin, { file: calls, key, connections }, ROUND_SECONDS, grace)
  return { rate: answered / ROUND_SECONDS, processorMs: (server.processorMs() - from) / answered }
}

function rowOf(work: Work, connections: number, rounds: Round[]): Row {
  const ratio = median(rounds.map(({ ours, bare }) => ours.rate / bare.rate))
  const goal = work === 'create' && connections === 16 ? 1.2 : 0.8
  const middle = (side: Side, of: 'rate' | 'processorMs') => median(rounds.map((round) => round[side][of]))
  const [rates, times] = (['rate', 'processorMs'] as const).map((of) =>
    (['ours', 'bare'] as const).map((side) => middle(side, of).toFixed(of === 'rate' ? 0 : 2)).join(' to '),
  )
  return {
    what: `${work}, ${connections} at a time`,
    figure: `${ratio.toFixed(2)} (${rates}; ${times} ms)`,
    goal: `at least ${goal}`,
    isMet: ratio >= goal,
  }
}

function isRead(work: Work): boolean {
  return work === 'get' || work === 'list' || work === 'insights'
}

/** Each side over a file of its own, as it was at the start. */
function start(side: Side, { file, recorded }: Prepared, folder: string): Promise<Server> {
  const own = join(folder, `${side}.db`)
  for (const end of ['-wal', '-shm']) rmSync(own + end, { force: true })
  copyFileSync(file, own)
  return side === 'bare' ? startBareStore(own, recorded) : startService({ ...onFile(own), SERVICE_SECRET: SECRET }, '/')
}

async function launchersBeside(prepared: Prepared, folder: string): Promise<Row> {
  const [slugs, calls] = [join(folder, 'slugs'), join(folder, 'creates')]
  writeFileSync(slugs, prepared.slugs.join('\n'))
  writeFileSync(calls, lineOf('create', '').join(' '))
  const pairs: { alone: number; beside: number; creates: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start('ours', prepared, folder)
    await forSeconds('launchers', server.origin, slugs, 1)
    const alone = await forSeconds('launchers', server.origin, slugs, ROUND_SECONDS)
    const [beside, creates] = await Promise.all([
      forSeconds('launchers', server.origin, slugs, ROUND_SECONDS),
      calling(server.origin, { file: calls, key: prepared.key, connections: CREATORS }, ROUND_SECONDS),
    ])
    await server.stop()
    pairs.push({ alone: alone.answered, beside: beside.answered, creates: creates.answered })
  }
  const ratio = median(pairs.map(({ alone, beside }) => beside / alone))
  const perSecond = (of: 'alone' | 'beside' | 'creates') =>
    (median(pairs.map((pair) => pair[of])) / ROUND_SECONDS).toFixed(0)
  return {
    what: `Launchers beside ${CREATORS} creators, of alone`,
    figure: `${ratio.toFixed(2)} (${perSecond('beside')} to ${perSecond('alone')}, and ${perSecond('creates')} creates)`,
    goal: 'at least 0.3',
    isMet: ratio >= 0.3,
  }
}

if (findWrk() === null) throw new Error('wrk is not installed: apt install wrk')
const wanted = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'openall-bench-'))
try {
  const prepared = await prepare(folder)
  const rows: Row[] = []
  if (wanted.length === 0 || wanted.includes('launchers')) rows.push(await launchersBeside(prepared, folder))
  for (const work of WORKS.filter((work) => wanted.length === 0 || wanted.includes(work))) {
    if (isRead(work)) rows.push(...(await compareReads(work, prepared, folder)))
    else for (const connections of CONNECTIONS) rows.push(await compareWrites(work, connections, prepared, folder))
  }
  console.log(table(rows))
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
