import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What is loaded once the service is up: the list of common passwords, which the first start makes by itself; and work in the
 * background, whose code is small, because what it needs is loaded.
 */
const LATER = /@zxcvbn-ts\/|src\/checks\/(?:followed|telling|mails)\.ts|@opentelemetry\/api\//

/** Statuses of requests that are refused for what the test sends. */
const REFUSED: Record<string, number> = { 'a token': 400, 'an unknown app': 400, 'no launcher': 404 }

test('once the service listens, no request loads code: what the first one loaded held up all others', async () => {
  const child = Bun.spawn([process.execPath, 'tests/loaded.ts'], { cwd: ROOT, stdout: 'pipe', stderr: 'inherit' })
  const [last = ''] = (await new Response(child.stdout).text()).trim().split('\n').slice(-1)
  const results = Object.entries(JSON.parse(last) as Record<string, [status: number, modules: string[]]>)
  expect(results.length).toBeGreaterThan(50)
  for (const [name, [status, modules]] of results) {
    expect([name, status < 400 || status === REFUSED[name]]).toEqual([name, true])
    expect([name, modules.filter((module) => !LATER.test(module))]).toEqual([name, []])
  }
})
