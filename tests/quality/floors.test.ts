import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { FLOORS, ROOT } from '../floors.ts'

// A compiler beside browsers and other compilers.
setDefaultTimeout(900_000)

test('what every operation needs compiles without what is built on it', () => {
  const lowest = FLOORS.slice(FLOORS.findIndex((names) => names.includes('src/operations'))).flat()
  const config = join(ROOT, 'node_modules/.cache/openall/lowest-floors.json')
  mkdirSync(dirname(config), { recursive: true })
  const include = lowest.map((folder) => join(ROOT, folder, '*.ts'))
  writeFileSync(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include, exclude: [] }))
  const { exitCode, stdout } = Bun.spawnSync(['bun', 'x', 'tsc', '--noEmit', '--listFiles', '-p', config])
  const said = stdout.toString().trim().split('\n')
  expect(said.filter((line) => !line.startsWith('/'))).toEqual([])
  expect(exitCode).toBe(0)
  const ours = said.filter((file) => file.startsWith(ROOT) && !file.includes('/node_modules/'))
  expect(ours.filter((file) => !lowest.includes(dirname(relative(ROOT, file))))).toEqual([])
  expect(ours.length).toBeGreaterThan(80)
})
