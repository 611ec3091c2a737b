import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openall-linted-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('Mozilla’s own check has nothing to say of the build for Firefox', async () => {
  expect(await Bun.spawn([process.execPath, 'tools/extension.ts', folder], { cwd: ROOT }).exited).toBe(0)
  const linter = join(ROOT, 'node_modules/.bin/web-ext')
  const options = ['--source-dir', join(folder, 'firefox'), '--no-config-discovery', '--output', 'json']
  const child = Bun.spawn([linter, 'lint', ...options], { stderr: 'inherit' })
  const said = JSON.parse(await new Response(child.stdout).text())
  expect({ errors: said.errors, warnings: said.warnings, notices: said.notices }).toEqual({
    errors: [],
    warnings: [],
    notices: [],
  })
}, 120_000)
