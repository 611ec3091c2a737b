import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTENT_DOCS } from '../../src/bundles/content/field-docs.ts'
import { RULE_DOCS } from '../../src/policies/shapes.ts'
import { newPerson } from '../people.ts'
import { command, type Server, startServer } from '../server.ts'
import { installPackage, type Project } from './package.ts'
import { mintKey } from './support.ts'

// Runs tsc several times, on a machine that may be busy.
setDefaultTimeout(300_000)

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/sdk.md', import.meta.url)), 'utf8')
const program = Array.from(PAGE.matchAll(/^```ts\n(.*?)^```$/gms), ([, block = '']) => block).join('\n')

let project: Project
let server: Server
let key: string
beforeAll(async () => {
  const installing = installPackage()
  server = await startServer()
  key = await mintKey(await newPerson(server))
  project = await installing
})
afterAll(async () => {
  project?.remove()
  await server?.stop()
})

test('the package contains the client and its types, and no server code', () => {
  const manifest = JSON.parse(readFileSync(join(project.folder, 'node_modules/openall/package.json'), 'utf8'))
  expect(readFileSync(join(project.folder, 'node_modules/openall/LICENSE'), 'utf8')).toContain(
    'cli.js contains code from papaparse',
  )
  expect(manifest).not.toContainAnyKeys(['dependencies', 'scripts', 'devDependencies', 'private'])
  expect(project.files.sort()).toEqual([
    'LICENSE',
    'README.md',
    'cli.js',
    'openall.cjs',
    'openall.d.cts',
    'openall.d.ts',
    'openall.js',
    'package.json',
  ])
  for (const file of project.files.filter((file) => /\.(d\.ts|d\.cts|js|cjs)$/.test(file))) {
    const text = readFileSync(join(project.folder, 'node_modules/openall', file), 'utf8')
    // Of a statement: a text may end in "from", too.
    const sources = /(?:^(?:import|export)\b[^"']*?\bfrom|import\(|^import)\s*["']([^"']+)["']/gm
    const imported = Array.from(text.matchAll(sources), ([, to = '']) => to)
    expect(imported.filter((to) => !to.startsWith('.') && !to.startsWith('node:'))).toEqual([])
    const foreign = /drizzle|arktype|elysia|better-auth|libsql|\.\.\/node_modules|\/tmp\//.exec(text)
    expect([file, foreign]).toEqual([file, null])
  }
})

test('the page’s program type-checks, and types refuse what the service would refuse', async () => {
  const wrong = [
    `openall.createBundle({ title: 'no urls' })`,
    `openall.createBundle({ urls: ['https://a.example/'], tilte: 'x' })`,
    `openall.updateBundle({ slug: 'x', urlMetadata: [{ openPolicy: 'never' }] })`,
    `openall.getBundle({ slug: 'x' }, { expectedVersion: 1 })`,
    `openall.getBundle.each({ slug: 'x' })`,
    `openall.createKey({ name: 'x', scopes: ['everything'] })`,
    `openall.previewPolicy({ slug: 'x', viewer: { device: 'watch' } })`,
    `openall.getInsights({ slug: 'x', range: '1y' })`,
    `openall.getBundle.dryRun({ slug: 'x' })`,
    `openall.whoAmI().then(({ plan }) => plan)`,
  ]
  const named = [
    `import type { ApiKey, Bundle, Insights, NewBundle, NewRule } from 'openall'`,
    `const rule: NewRule = { name: 'x', when: { op: 'signedIn' }, tabs: [{ url: 'https://a.example/' }] }`,
    `const draft: NewBundle = { urls: ['https://a.example/'], resolutionPolicy: { version: 1, rules: [rule] } }`,
    `const { slug } = await openall.createBundle(draft)`,
    `const bundle: Bundle = await openall.getBundle({ slug })`,
    `const insights: Insights = await openall.getInsights({ slug })`,
    `const keys: ApiKey[] = (await openall.listKeys()).apiKeys`,
    `export const read = [bundle.title, insights.totals.views, keys[0]?.name]`,
  ]
  const lines = wrong.map((line) => `// @ts-expect-error\n${line}`)
  const start = `import { createClient } from 'openall'\nconst openall = createClient({ server: '' })\n`
  // All in one run, because most of it is reading the platform's types.
  const { 'page.ts': page, ...made } = await project.check({
    'page.ts': program,
    'wrong.ts': start + lines.join('\n'),
    'named.ts': start + named.join('\n'),
    'all.ts': start + wrong.join('\n'),
  })
  expect(page).toEqual([])
  expect(made['wrong.ts']).toEqual([])
  expect(made['named.ts']).toEqual([])
  expect(made['all.ts'].join('\n')).toContain('error TS')
})

test('shapes have names, and their fields what the API says of them', () => {
  const types = readFileSync(join(project.folder, 'node_modules/openall/openall.d.ts'), 'utf8')
  const [, bundle = ''] = /^type Bundle = \{(.*?)^\};$/ms.exec(types) ?? []
  const [, rule = ''] = /^type NewRule = \{(.*?)^\};$/ms.exec(types) ?? []
  expect(bundle).toContain(`/** ${CONTENT_DOCS.title[0]} */`)
  expect(bundle).toMatch(/\/\*\* The bundle’s version: .* Send it with an edit, .* \*\/\s+versionNumber/)
  expect(rule).toContain(`/** ${RULE_DOCS.name[0]} */`)
  expect(types).toMatch(/readonly getBundle: \(\(input: \{[^}]*\}, options\?: [^)]*\) => Promise<Bundle>\)/)
})

test.each([
  ['node10', 'commonjs'],
  ['node16', 'node16'],
])(
  'its types are found with moduleResolution %s, in an ES module and in CommonJS',
  async (moduleResolution, module) => {
    const program = `import { createClient } from 'openall'\nexport const url: Promise<string> = createClient({ server: '' })\n  .getBundle({ slug: 'x' })\n  .then((bundle) => bundle.url)\n`
    const checked = await project.check({ 'module.mts': program, 'common.cts': program }, { moduleResolution, module })
    expect(checked).toEqual({ 'module.mts': [], 'common.cts': [] })
  },
)

test('require works on the oldest Node', async () => {
  const file = project.write(
    'page.cjs',
    `const { createClient, OpenallError } = require('openall')
createClient({ server: '${server.origin}' }).getBundle({ slug: 'x' }).catch((error) => {
  console.log(error instanceof OpenallError, error.code)
})`,
  )
  expect(await project.run(['node', file])).toEqual({ code: 0, output: 'true UNAUTHORIZED\n', errors: '' })
})

const runtimes: [string, string[]][] = [
  ['Node', ['node']],
  ['Bun', command('bun')],
  ['Deno', command('deno')],
]
test.each(runtimes)('the page’s program works on %s', async (_, words) => {
  const javascript = new Bun.Transpiler({ loader: 'ts' }).transformSync(program)
  const file = project.write('page.mjs', javascript)
  const env = { OPENALL_URL: server.origin, OPENALL_KEY: key }
  const { code, output, errors } = await project.run([...words, file], env)
  expect([code, errors]).toEqual([0, ''])
  expect(output).toStartWith(`${server.origin}/l/`)
  for (const said of [
    'Launch day\n',
    'Launch day, moved 0\n',
    'On a phone\n',
    '0 0\n',
    'day,views,openAllClicks',
    'url,opens',
    'NOT_FOUND 404 There is no',
  ])
    expect(output).toContain(said)
})

test('the page lists every method and no other', async () => {
  const file = project.write(
    'methods.mjs',
    `import { createClient } from 'openall'\nconsole.log(JSON.stringify(Object.keys(createClient({ server: 'https://a.example' }))))`,
  )
  const { output } = await project.run(['node', file])
  const rows = Array.from(PAGE.matchAll(/^\| `(\w+)\(/gm), ([, name = '']) => name)
  expect(rows).toEqual(JSON.parse(output))
})
