import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Every module that a file loads, directly or indirectly, except type and lazy imports. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const scanner = new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' })
  for (const { kind, path } of scanner.scanImports(readFileSync(file, 'utf8'))) {
    if (kind === 'dynamic-import' || path.endsWith('.json')) continue
    if (path.startsWith('.')) loadedWith(resolve(dirname(file), path), seen)
    else
      seen.add(
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      )
  }
  return seen
}

/** The library of apps’ sign-in, its schemas, and our code for it. */
const IS_OAUTH = /^(@node-oauth\/oauth2-server|@modelcontextprotocol\/sdk|zod)$|src\/oauth\/(?!routes|resources)/

test('starting the service loads only the launcher’s routes and what they need', () => {
  const main = join(ROOT, 'src/main.ts')
  // It first decides what to run: the service, or an operator's command.
  const services = new Bun.Transpiler({ loader: 'ts' })
    .scanImports(readFileSync(main, 'utf8'))
    .filter(({ kind, path }) => kind === 'dynamic-import' && !path.includes('/operator/'))
  const loaded = new Set<string>(loadedWith(main))
  for (const { path } of services) for (const file of loadedWith(resolve(dirname(main), path))) loaded.add(file)
  expect(loaded).toContain(join(ROOT, 'src/pages/launcher.tsx'))
  expect([...loaded].filter((module) => /^(arktype|uqr)$|operations\.ts$|router\.ts$/.test(module))).toEqual([])
  expect([...loaded].filter((module) => IS_OAUTH.test(module))).toEqual([])
})

test('nor do its packages load any of that, or the client for remote databases', async () => {
  const modules = ['src/runtime/app.ts', 'src/runtime/service.ts'].map((file) => JSON.stringify(join(ROOT, file)))
  const script = `await Promise.all([${modules.map((file) => `import(${file})`)}]); console.log(Object.keys(require.cache).join('\\n'))`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: ROOT, stdout: 'pipe' })
  const loaded = (await new Response(child.stdout).text()).split('\n')
  expect(loaded).toContain(join(ROOT, 'db/client.ts'))
  expect(loaded.filter((file) => /src\/policies\/|db\/remote\.ts$/.test(file))).toEqual([])
  const packages = new Set(loaded.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'none'))
  expect(packages).toContain('drizzle-orm')
  expect([...packages].filter((name) => /^(arktype|uqr|@elysiajs\/html|@libsql\/hrana-client)$/.test(name))).toEqual([])
  expect([...packages].filter((name) => IS_OAUTH.test(name))).toEqual([])
})

test('the router loads neither better-auth nor nodemailer nor the libraries for webhooks and apps’ sign-in', () => {
  const loaded = loadedWith(join(ROOT, 'src/runtime/router.ts'))
  expect([...loaded].filter((module) => IS_OAUTH.test(module))).toEqual([])
  expect([...loadedWith(join(ROOT, 'src/oauth/endpoints.ts'))].some((module) => IS_OAUTH.test(module))).toBe(true)
  expect(loaded).toContain('elysia')
  expect(loaded).not.toContain('better-auth')
  expect(loaded).not.toContain('nodemailer')
  expect(loaded).not.toContain('standardwebhooks')
  expect(loadedWith(join(ROOT, 'src/accounts/auth.ts'))).toContain('better-auth')
})

test('the router loads neither MCP nor the code that builds documents', () => {
  const isForAgents = /^@modelcontextprotocol|(glossary|openapi|json-schema|mcp-server|tools|reference|docs)\.tsx?$/
  const among = (file: string) => [...loadedWith(join(ROOT, file))].filter((module) => isForAgents.test(module))
  expect(among('src/runtime/router.ts')).toEqual([])
  expect(among('src/mcp/server.ts')).toContain('@modelcontextprotocol/server')
  expect(among('src/api/reference.tsx').length).toBeGreaterThan(3)
})

test('a launcher loads better-auth neither without a session cookie nor with one, and a sign-in does', async () => {
  const child = Bun.spawn([process.execPath, join(ROOT, 'tests/loaded.ts')], {
    cwd: ROOT,
    stdout: 'pipe',
    env: { ...process.env },
  })
  const told: unknown = JSON.parse((await new Response(child.stdout).text()).trim().split('\n').at(-1) ?? '')
  expect(told).toEqual({ launcher: [200, false], launcherWithCookie: [200, false], signIn: [401, true] })
})
