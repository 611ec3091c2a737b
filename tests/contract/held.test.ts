import { expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { command, RUNTIMES, type Runtime } from '../server.ts'

// Only guards against hanging: what it measures is processor time.
setDefaultTimeout(600_000)

/** In ms of processor time; most take a third of it at most. */
const MOST = 100

/** The same for steps that nobody waits for, and that come all the time: what looks at links may hold the loop for 20 ms. */
const MOST_IN_BACKGROUND = 20

/** The same for bodies that are refused: whoever sends them pays nothing. */
const MOST_OF_REFUSALS = 50

/** What a program measures, by name. */
async function measured(runtime: Runtime, program: URL): Promise<[string, number][]> {
  const child = Bun.spawn([...command(runtime), fileURLToPath(program)], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(error)
  return Object.entries(JSON.parse(text) as Record<string, number>)
}

test.each(RUNTIMES)(
  'on %s, no step of what keeps a hundred thousand links under observation holds it',
  async (runtime) => {
    const pieces = await measured(runtime, new URL('../held-by-checks.ts', import.meta.url))
    expect(pieces.length).toBe(6)
    expect(pieces.filter(([, ms]) => ms > MOST_IN_BACKGROUND)).toEqual([])
  },
)

test.each(RUNTIMES)(
  'on %s, no pages that are looked at together hold it, whatever they are made of',
  async (runtime) => {
    const pieces = await measured(runtime, new URL('../held-by-pages.ts', import.meta.url))
    expect(pieces.length).toBe(7)
    expect(pieces.filter(([, ms]) => ms > MOST_IN_BACKGROUND)).toEqual([])
  },
)

test.each(RUNTIMES)(
  'on %s, what draws icons is ended while it is in WebAssembly, and then draws on',
  async (runtime) => {
    expect(await measured(runtime, new URL('../draw-ends.ts', import.meta.url))).toEqual([
      ['is ended', 1],
      ['has gone', 1],
      ['goes on', 1],
      ['replaces one that died', 1],
      ['stays stopped', 1],
    ])
  },
)

test.each(RUNTIMES)('on %s, no read of one’s own data holds the event loop', async (runtime) => {
  const pieces = await measured(runtime, new URL('../held.ts', import.meta.url))
  expect(pieces.length).toBeGreaterThan(15)
  expect(pieces.filter(([, ms]) => ms > MOST)).toEqual([])
})

test.each(RUNTIMES)('on %s, no body that is wrong wherever it can be holds the event loop', async (runtime) => {
  const pieces = await measured(runtime, new URL('../held-by-bodies.ts', import.meta.url))
  expect(pieces.length).toBeGreaterThan(15)
  expect(pieces.filter(([, ms]) => ms > MOST_OF_REFUSALS)).toEqual([])
})

test.each(RUNTIMES)('on %s, no text that is pasted or imported holds the event loop', async (runtime) => {
  const pieces = await measured(runtime, new URL('../held-by-pastes.ts', import.meta.url))
  expect(pieces.length).toBeGreaterThanOrEqual(40)
  expect(pieces.filter(([, ms]) => ms > MOST)).toEqual([])
})
