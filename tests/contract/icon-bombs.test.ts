import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { withBoundedMemory } from '../../src/icons/draw-process.ts'
import { Drawing } from '../../src/icons/drawing.ts'
import { iconBombs } from './icon-bombs.ts'
import { PICTURES } from './icon-files.ts'

// What a hundred pictures that are made to do harm take, drawn as the service draws them.

const drawing = new Drawing('icon')
afterAll(() => drawing.stop())
const draw = (bytes: Uint8Array) => drawing.draw(Buffer.from(bytes), 'somebody')

/** A file of /proc for each process that draws for this one. */
function filesOfDrawing(name: 'status' | 'environ'): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return status.includes(`PPid:\t${process.pid}\n`) ? [readFileSync(`/proc/${pid}/${name}`, 'utf8')] : []
    } catch {
      // No process, or one that has ended meanwhile.
      return []
    }
  })
}

/** The most memory that they have taken, in MiB. */
function mostMemory(): number {
  return Math.max(...filesOfDrawing('status').map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024))
}

/** Why a picture was not drawn, or null, and the milliseconds of processor that this process took for it. */
async function taken(bytes: Uint8Array): Promise<[failure: string | null, ms: number]> {
  const before = process.cpuUsage()
  const drawn = await draw(bytes)
  const { user, system } = process.cpuUsage(before)
  return [typeof drawn === 'string' ? drawn : null, Math.round((user + system) / 1000)]
}

test('none of a hundred hostile pictures holds the loop, takes long or much memory, or stops the next one', async () => {
  const good = await draw(PICTURES.png)
  expect(good).toMatchObject({ id: expect.any(String) })
  const bombs = iconBombs()
  expect(bombs.length).toBeGreaterThan(100)
  const unlike: unknown[] = []
  for (const [name, bytes] of bombs) {
    const [failure, first] = await taken(bytes)
    let ms = first
    // The process may have had something else to do: what a picture takes is the least of three.
    for (let round = 1; round < 3 && ms > 100; round += 1) ms = Math.min(ms, (await taken(bytes))[1])
    // Not ended by the clock, which none gets to.
    if (failure !== null || ms > 100) unlike.push([name, failure, ms])
    if (!name.startsWith('broken')) continue
    expect([name, await draw(PICTURES.png)]).toEqual([name, good!])
  }
  expect(unlike).toEqual([])
  expect(await draw(PICTURES.png)).toEqual(good!)
  expect(mostMemory()).toBeLessThan(400)
})

test('what draws knows none of the secrets of the service', async () => {
  process.env.SERVICE_SECRET = 'known to nobody else'
  const other = new Drawing('icon')
  try {
    expect(await other.draw(Buffer.from(PICTURES.png), 'somebody')).toMatchObject({ id: expect.any(String) })
    const environments = filesOfDrawing('environ').map((environment) => environment.split('\0'))
    expect(environments.length).toBeGreaterThan(0)
    const names = environments.flat().map((line) => line.split('=')[0])
    expect(names).toContain('PATH')
    expect(names).not.toContain('SERVICE_SECRET')
  } finally {
    other.stop()
    delete process.env.SERVICE_SECRET
  }
})

test('what decodes and draws gets so much memory and no more', () => {
  for (const path of ['@resvg/resvg-wasm/index_bg.wasm', '@cf-wasm/photon/photon.wasm']) {
    const module = new WebAssembly.Module(withBoundedMemory(readFileSync(Bun.resolveSync(path, import.meta.dir))))
    const imports: Record<string, Record<string, () => void>> = {}
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => {}
    const { memory } = new WebAssembly.Instance(module, imports).exports as { memory: WebAssembly.Memory }
    const grow = () => {
      while (memory.grow(256) !== -1);
    }
    try {
      grow()
    } catch {
      // Either way it ends.
    }
    expect(memory.buffer.byteLength).toBeLessThanOrEqual(128 * 2 ** 20)
    expect(memory.buffer.byteLength).toBeGreaterThan(100 * 2 ** 20)
  }
})
