import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { decideDevice } from '../oauth.ts'
import type { Person } from '../people.ts'
import type { Server } from '../server.ts'
import { RUNTIMES, Shell, serveCommand } from './shell.ts'

setDefaultTimeout(120_000)

describe.each(RUNTIMES)('on %s', (_, start) => {
  let server: Server
  let person: Person
  const shells: Shell[] = []
  beforeAll(async () => {
    ;({ server, person } = await serveCommand())
  })
  afterAll(async () => {
    for (const shell of shells) shell.remove()
    await server?.stop()
  })

  /** Runs login on a computer without a browser, and has a person type in the code that it shows. */
  async function login(decision: string, args: string[] = []) {
    const shell = new Shell(start(), { OPENALL_URL: server.origin })
    shells.push(shell)
    const child = Bun.spawn([...shell.start, 'login', '--device', ...args], {
      cwd: shell.home,
      env: shell.environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const stdout = new Response(child.stdout).text()
    let said = ''
    const decoder = new TextDecoder()
    const reading = (async () => {
      const reader = child.stderr.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read())
        said += decoder.decode(read.value, { stream: true })
    })()
    const code = () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(said)?.[1]
    await eventually(() => code() !== undefined, `a code in ${said}`)
    const page = await decideDevice(person, code() ?? '', decision)
    expect(page.status).toBe(200)
    const exit = await child.exited
    await reading
    return { shell, exit, stdout: await stdout, said }
  }

  test('login --device prints a code, waits until it was typed in elsewhere, and is signed in', async () => {
    const { shell, exit, stdout, said } = await login('connect')
    expect([exit, stdout]).toEqual([0, `Logged in to ${server.origin} as user ${person.userId}.\n`])
    expect(said).toContain(`open ${server.origin}/device and enter this code`)
    const { code } = await shell.openall(['create', 'https://a.example/'])
    expect(code).toBe(0)
    // Its scope does not include this.
    expect((await shell.openall(['keys', 'list'])).code).toBe(3)
    const file = readFileSync(join(shell.home, '.config/openall/config.json'), 'utf8')
    const saved = JSON.parse(file) as { signIns: Record<string, { accessToken: string }> }
    expect(said + stdout).not.toContain(saved.signIns[server.origin]?.accessToken ?? '')
    expect((await shell.openall(['logout'])).code).toBe(0)
    expect((await shell.openall(['whoami'])).code).not.toBe(0)
  })

  test('who declines is told, and what a device cannot have is said at once', async () => {
    const { exit, stdout, said, shell } = await login('cancel', ['--scope', 'links:read'])
    expect([exit, stdout]).toEqual([3, ''])
    expect(said).toContain('You did not connect the command line.')
    const admin = await shell.openall(['login', '--device', '--scope', 'keys:admin'])
    expect([admin.code, admin.stderr]).toEqual([2, expect.stringContaining('--device takes no --scope keys:admin')])
    const both = await shell.openall(['login', '--device', '--web'])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--web and --device exclude each other')])
  })
})
