import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SECTIONS } from '../views/dashboard/parts/shell.tsx'
import { elementsOf } from './contract/html.ts'
import { START_MS } from './contract/support.ts'
import { newPerson, type Person } from './people.ts'
import { RUNTIMES, startServer } from './server.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What README.md installs before it starts the service, and how many packages it says these are. */
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [, INSTALL = ''] = /^npx -y bun@[\d.]+ (install .*) && npx .* run start$/m.exec(README) ?? []
const [PACKAGES = ''] = /\d+ packages/.exec(README) ?? []

/** The service as README.md runs it: its code and its production packages. */
let tree: string
beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'openall-production-'))
  for (const part of ['package.json', 'bun.lock', 'tsconfig.json', 'src', 'db', 'views', 'docs'])
    cpSync(join(ROOT, part), join(tree, part), { recursive: true })
  const install = Bun.spawn([process.execPath, ...INSTALL.split(' ')], { cwd: tree, stdout: 'pipe', stderr: 'pipe' })
  if ((await install.exited) !== 0) throw new Error(await new Response(install.stderr).text())
  expect([INSTALL.includes('--production'), await new Response(install.stdout).text()]).toEqual([
    true,
    expect.stringContaining(`${PACKAGES} installed`),
  ])
}, START_MS)
afterAll(() => rmSync(tree, { recursive: true, force: true }))

/** Every page reachable through links and forms, by path, with its status. */
async function visitAll(person: Person, from: string[]): Promise<Map<string, number>> {
  const { origin } = person.server
  const answers = new Map<string, number>()
  const queue = [...from]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (answers.has(path)) continue
    const answer = await person.fetch(path)
    answers.set(path, answer.status)
    const html = await answer.text()
    const shown = answer.headers.get('location') ?? ''
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false
    const links = isPage ? elementsOf(html).map(({ attributes: { href, action } }) => href ?? action ?? '') : []
    // Of pages that differ only in their query, such as sorted lists, one is enough.
    for (const link of [shown, ...links].filter((link) => link !== '')) {
      const url = new URL(link, `${origin}${path}`)
      if (url.origin === origin) queue.push(url.pathname)
    }
  }
  return answers
}

/** With NODE_ENV as images set it, and without. Two of four: no code asks for both the runtime and the mode. */
const MODES = { bun: 'production', deno: undefined }

for (const runtime of RUNTIMES) {
  const mode = MODES[runtime]
  test(
    `a production installation serves every page when started on ${runtime} from another folder, NODE_ENV ${mode ?? 'unset'}`,
    async () => {
      const env: Record<string, string> = mode === undefined ? {} : { NODE_ENV: mode, SERVICE_LOG_MAILS: 'on' }
      const server = await startServer({ runtime, env, cwd: tmpdir(), main: join(tree, 'src/main.ts') })
      try {
        const person = await newPerson(server)
        const { slug } = await person.makeBundle({ title: 'Launch day' })
        // The navigation links to a section once it is used.
        const sections = Object.values(SECTIONS).map(({ href }) => href)
        const start = ['/', '/sign-in', '/sign-up', ...sections, `/l/${slug}`, '/docs', '/nothing-here']
        const answers = await visitAll(person, [...start, '/password/a-token', '/claim/a-token', '/dev/mailbox'])
        expect([...answers].filter(([, status]) => status >= 500)).toEqual([])
        for (const end of ['', '/policy', '/versions', '/insights'])
          expect([end, answers.get(`/dashboard/links/${slug}${end}`)]).toEqual([end, 200])
        for (const path of ['/', '/sign-in', '/docs', ...sections])
          expect([path, answers.get(path)]).toEqual([path, 200])
      } finally {
        await server.stop()
      }
    },
    START_MS,
  )
}
