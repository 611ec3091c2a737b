import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
    'cli.js contains code from citty',
  )
  expect(manifest).not.toContainAnyKeys(['dependencies', 'scripts', 'devDependencies', 'private'])
  const types = project.files.filter((file) => file.endsWith('.d.ts'))
  const server = /(^|\/)(operations?|service|app|main|schema|client)\.d\.ts$/
  expect(types.filter((file) => server.test(file) && file !== 'types/src/sdk/client.d.ts')).toEqual([])
  for (const file of project.files.filter((file) => /\.(d\.ts|js)$/.test(file))) {
    const text = readFileSync(join(project.folder, 'node_modules/openall', file), 'utf8')
    const imported = Array.from(text.matchAll(/(?:\bfrom|import\(|^import)\s*["']([^"']+)["']/gm), ([, to = '']) => to)
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
  const lines = wrong.map((line) => `// @ts-expect-error\n${line}`)
  const start = `import { createClient } from 'openall'\nconst openall = createClient({ server: '' })\n`
  // All in one run, because most of it is reading the platform's types.
  const { 'page.ts': page, ...made } = await project.check({
    'page.ts': program,
    'wrong.ts': start + lines.join('\n'),
    'all.ts': start + wrong.join('\n'),
  })
  expect(page).toEqual([])
  expect(made['wrong.ts']).toEqual([])
  expect(made['all.ts'].join('\n')).toContain('error TS')
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
