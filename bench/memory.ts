import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signIn, signUp } from '../tests/people.ts'
import { freePort } from '../tests/ports.ts'
import { mintKey } from './api.ts'
import { contentOf, makeBundles } from './bundles.ts'
import { WITHOUT_LIMITS } from './processes.ts'

// `bun bench/memory.ts <executable> <MiB>…`: whether the service survives twenty seconds of everything at once while Linux's memory
// controller (cgroups 1) holds it below a limit, without swap: a process that needs more is killed.

const GROUP = '/sys/fs/cgroup/memory/openall-bench'
const SECONDS = 20
const BUNDLES = 2_000
const PICTURES = 50
const START_MS = 60_000
const MIB = 2 ** 20

const [, , executable, ...limits] = process.argv
if (executable === undefined || limits.length === 0) throw new Error('Name the executable, and limits in MiB.')
for (const limit of limits) {
  const folder = mkdtempSync(join(tmpdir(), 'openall-memory-'))
  mkdirSync(GROUP)
  try {
    console.log(`${limit} MiB: ${await survives(executable, Number(limit), folder)}`)
  } finally {
    rmdirSync(GROUP)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function survives(program: string, mib: number, folder: string): Promise<string> {
  writeFileSync(join(GROUP, 'memory.limit_in_bytes'), String(mib * MIB))
  const origin = `http://localhost:${freePort()}`
  const env = {
    PATH: process.env.PATH,
    PORT: new URL(origin).port,
    DATABASE_URL: `file:${join(folder, 'openall.db')}`,
    TMPDIR: folder,
    ...WITHOUT_LIMITS,
  }
  const from = performance.now()
  const command = ['sh', '-c', `echo $$ > ${GROUP}/cgroup.procs && exec "$0"`, program]
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'inherit' })
  const kills = () => Number(/^oom_kill (\d+)/m.exec(readFileSync(join(GROUP, 'memory.oom_control'), 'utf8'))?.[1])
  const answered = new Map<string, number>()
  const waits: number[] = []
  try {
    await readiness(origin, () => child.signalCode === null && performance.now() - from < START_MS)
    answered.set('ms to start', Math.round(performance.now() - from))
    await everything({ origin }, answered, waits)
  } catch (error) {
    if (kills() === 0) throw error
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
  const slowest = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]?.toFixed(0)
  const told = [...answered].map(([name, count]) => `${name} ${count}`).join(', ')
  return `${kills() === 0 ? 'survived' : 'KILLED'} (${told}, p99 of launchers ${slowest} ms)`
}

async function readiness(origin: string, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    if ((await fetch(`${origin}/readyz`).catch(() => null))?.ok) return
    await Bun.sleep(10)
  }
  throw new Error('it did not start')
}

/** Twenty seconds of launchers, edits, lists and sign-ins, with preview pictures one after the other. */
async function everything(server: { origin: string }, answered: Map<string, number>, waits: number[]): Promise<void> {
  const { origin } = server
  const key = await mintKey(server)
  const slugs = await makeBundles(server, BUNDLES, key)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const until = performance.now() + SECONDS * 1000
  const loop = async (name: string, limit: number, once: (number: number) => Promise<unknown>) => {
    for (let number = 0; number < limit && performance.now() < until; number += 1) {
      await once(number)
      answered.set(name, (answered.get(name) ?? 0) + 1)
    }
  }
  const get = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${origin}${path}`, init)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  }
  const launcher = async (at: number) => {
    const from = performance.now()
    await get(`/l/${slugs[at % BUNDLES]}`)
    waits.push(performance.now() - from)
  }
  const create = (at: number) => get('/api/links', { method: 'POST', headers, body: JSON.stringify(contentOf(at)) })
  const dashboard = async () => {
    const { email } = await signUp(server)
    await (await signIn(server, email)).fetch('/dashboard')
  }
  const many = (count: number, name: string, once: (number: number) => Promise<unknown>) =>
    Array.from({ length: count }, () => loop(name, Number.POSITIVE_INFINITY, once))
  await Promise.all([
    ...many(16, 'launchers', launcher),
    ...many(8, 'creates', create),
    ...many(4, 'lists', () => get('/api/me/links', { headers })),
    ...many(2, 'sign-ins', dashboard),
    loop('pictures', PICTURES, (at) => get(`/l/${slugs[at]}/picture.png`)),
  ])
}
