import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { withBoundedMemory } from '../../src/icons/bounded-memory.ts'
import { Drawing } from '../../src/icons/drawing.ts'
import { iconBombs } from './icon-bombs.ts'
import { PICTURES } from './icon-files.ts'

// What a hundred pictures that are made to do harm take, drawn as the service draws them.

const drawing = new Drawing()
afterAll(() => drawing.stop())
const draw = (bytes: Uint8Array) => drawing.draw(Buffer.from(bytes), 'somebody')

/** The most memory that processes drawing for this one have taken, in MiB. */
function mostMemory(): number {
  const statuses = readdirSync('/proc').flatMap((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return status.includes(`PPid:\t${process.pid}\n`) ? [status] : []
    } catch {
      // No process, or one that has ended meanwhile.
      return []
    }
  })
  return Math.max(...statuses.map((status) => Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024))
}

test('none of a hundred hostile pictures holds the loop, takes long or much memory, or stops the next one', async () => {
  const good = await draw(PICTURES.png)
  expect(good).toMatchObject({ id: expect.any(String) })
  const bombs = iconBombs()
  expect(bombs.length).toBeGreaterThan(100)
  const unlike: unknown[] = []
  for (const [name, bytes] of bombs) {
    const before = process.cpuUsage()
    const drawn = await draw(bytes)
    const { user, system } = process.cpuUsage(before)
    const ms = Math.round((user + system) / 1000)
    // Not ended by the clock, which none gets to.
    if (drawn === 'costly' || drawn === undefined || ms > 100) unlike.push([name, drawn, ms])
    if (!name.startsWith('broken')) continue
    expect([name, await draw(PICTURES.png)]).toEqual([name, good!])
  }
  expect(unlike).toEqual([])
  expect(await draw(PICTURES.png)).toEqual(good!)
  expect(mostMemory()).toBeLessThan(400)
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
