import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startInProcess } from '../in-process.ts'
import { newPerson, type Person } from '../people.ts'
import { mintKey } from '../sdk/support.ts'
import type { Server } from '../server.ts'
import { packCommand, RUNTIMES, Shell } from './shell.ts'

// Starts many processes, on a machine that may be busy.
setDefaultTimeout(180_000)

let server: Server
let person: Person
let key: string
beforeAll(async () => {
  await packCommand()
  server = await startInProcess({ SERVICE_PLAN_FREE_MAX_BUNDLES: '200' })
  person = await newPerson(server)
  key = await mintKey(person)
  for (let index = 0; index < 120; index += 1) await person.makeBundle({ title: `Number ${index}` })
})
afterAll(() => server.stop())

/** Runs the command in a terminal, and types each text after its prompt has appeared. */
async function atTerminal(shell: Shell, args: string[], ...typing: { after: string; text: string }[]) {
  let screen = ''
  const read = Promise.withResolvers<void>()
  const child = Bun.spawn([...shell.start, ...args], {
    cwd: shell.home,
    env: { ...shell.environment, TERM: 'xterm-256color' },
    terminal: {
      cols: 200,
      rows: 50,
      data(terminal, bytes) {
        screen += new TextDecoder().decode(bytes)
        const [next] = typing
        if (next === undefined || !screen.includes(next.after)) return
        typing.shift()
        terminal.write(next.text)
      },
      exit: () => read.resolve(),
    },
  })
  const code = await child.exited
  await read.promise
  child.terminal?.close()
  return { code, screen }
}

describe.each(RUNTIMES)('on %s', (_, start) => {
  let mine: Shell
  beforeAll(() => {
    mine = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
  })
  afterAll(() => mine.remove())

  test('colours are used at a terminal, and not with NO_COLOR or in a pipe', async () => {
    expect((await atTerminal(mine, ['list', '--limit', '1'])).screen).toContain('\u001b[2mSLUG')
    expect((await atTerminal(mine, ['list', '--help'])).screen).toContain('\u001b[')
    const plain = new Shell(mine.start, { ...mine.env, NO_COLOR: '1' })
    for (const args of [['list', '--limit', '1'], ['list', '--help'], ['shw']]) {
      expect((await atTerminal(plain, args)).screen).not.toMatch(/\u001b\[[\d;]*m/)
      const { stdout, stderr } = await mine.openall(args)
      expect(stdout + stderr).not.toContain('\u001b')
    }
    plain.remove()
  })

  test('long work shows progress at a terminal, and is silent elsewhere', async () => {
    expect((await atTerminal(mine, ['list', '--all'])).screen).toContain('100 bundles…')
    expect((await mine.openall(['list', '--all'])).stderr).toBe('')
  })

  test('a key typed at login is not shown', async () => {
    const shell = new Shell(start(), {})
    const { code, screen } = await atTerminal(shell, ['login', '--key', '--server', server.origin], {
      after: 'Paste an API key',
      text: `${key}\r`,
    })
    expect(screen).toContain(`Logged in to ${server.origin}`)
    expect(screen).not.toContain(key)
    expect(code).toBe(0)
    expect((await shell.openall(['whoami'])).code).toBe(0)
    shell.remove()
  })

  test('open asks for what is missing, and again for what is refused', async () => {
    const id = { name: 'id', label: 'Customer', example: '4711' }
    const range = { name: 'range', options: ['7d', '30d'] }
    const { slug } = await person.makeBundle({ urls: ['https://a.example/{id}/{range}'], variables: [id, range] })
    const one = await atTerminal(mine, ['open', slug, 'range=7d', '-p'], {
      after: 'Customer (such as 4711): ',
      text: '47 11\r',
    })
    expect([one.code, one.screen]).toEqual([0, expect.stringContaining('https://a.example/47%2011/7d')])
    const again = await atTerminal(
      mine,
      ['open', slug, 'a', '-p'],
      { after: 'Range (7d, 30d): ', text: '9d\r' },
      { after: 'Choose one of: 7d, 30d.\r\n', text: '30d\r' },
    )
    expect([again.code, again.screen]).toEqual([0, expect.stringContaining('https://a.example/a/30d')])
    const none = await atTerminal(mine, ['open', slug, 'a', '-p'], { after: 'Range (7d, 30d): ', text: '\u0004' })
    expect([none.code, none.screen]).toEqual([2, expect.stringContaining('no value was given')])
  })

  test('a reader who stops early ends the command silently', async () => {
    const words = [...mine.start, 'list', '--all', '--json'].map((word) => `'${word}'`).join(' ')
    const child = Bun.spawn(['bash', '-c', `${words} | head -1; exit "\${PIPESTATUS[0]}"`], {
      env: mine.environment,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expect([await child.exited, stdout, stderr]).toEqual([0, '{\n', ''])
  })

  test('one command makes one call', async () => {
    const mintee = await mintKey(person, { rateLimitPerHour: 100 })
    const shell = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: mintee })
    const { body } = await person.api<{ bundles: { slug: string }[] }>('GET', '/api/me/links?limit=1')
    const slug = body.bundles[0]?.slug ?? ''
    const left = async () => {
      const answer = await fetch(`${server.origin}/api/me`, { headers: { authorization: `Bearer ${mintee}` } })
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    }
    let before = await left()
    for (const args of [['whoami'], ['show', slug], ['list'], ['versions', slug], ['insights', slug], ['diff', slug]]) {
      await shell.openall(args)
      const now = await left()
      expect([args, before - now]).toEqual([args, 2])
      before = now
    }
    shell.remove()
  })
})

describe('help and completion', () => {
  let shell: Shell
  beforeAll(() => {
    const [, start] = RUNTIMES[0]!
    shell = new Shell(start(), { OPENALL_URL: server.origin, OPENALL_KEY: key })
  })
  afterAll(() => shell.remove())

  /** The completions of the last word, without those that come from the service. */
  const complete = async (...words: string[]) =>
    (await shell.openall(['complete', '--', ...words], { env: { OPENALL_KEY: '' } })).stdout
      .split('\n')
      .filter((word) => word !== '')

  test('every command has a summary, its own examples, and completion for each of its flags', async () => {
    const commands: string[][] = []
    for (const name of await complete('')) {
      const inner = await complete(name, '')
      commands.push(...(inner.length === 0 ? [[name]] : inner.map((word) => [name, word])))
    }
    expect(commands.map((words) => words.join(' '))).toEqual(
      expect.arrayContaining(['create', 'policy test', 'keys revoke', 'mcp']),
    )
    for (const words of commands) {
      const { code, stdout } = await shell.openall([...words, '--help'])
      expect(code).toBe(0)
      const [usage = '', examples = ''] = stdout.split('\nEXAMPLES\n')
      expect(usage).toMatch(/^[A-Z].{10,} \(openall [a-z ]+\)\n/)
      expect(examples.split('\n').filter((line) => line.includes(`openall ${words.join(' ')}`))).not.toEqual([])
      const flags = Array.from(usage.matchAll(/(--[a-z-]+)(?:[= ]|$)/gm), ([, flag = '']) => flag)
      expect(await complete(...words, '--')).toEqual(expect.arrayContaining(flags))
    }
    const { code, stdout } = await shell.openall(['--help'])
    expect([code, stdout]).toEqual([0, (await shell.openall([])).stdout])
    expect((await shell.openall(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('bash completes commands, flags and files', async () => {
    shell.write('bundle.txt', '')
    const bin = join(shell.home, 'bin')
    const words = shell.start.map((word) => `'${word}'`).join(' ')
    shell.write('openall', `#!/bin/sh\nexec ${words} "$@"\n`)
    const completed = async (...typed: string[]) => {
      const script = `
        source <(openall completion bash)
        COMP_WORDS=(openall ${typed.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${typed.length}
        _openall
        printf '%s\\n' "\${COMPREPLY[@]}"`
      const env = { ...shell.environment, PATH: `${shell.home}:${bin}:${shell.environment.PATH}` }
      const child = Bun.spawn(['bash', '-c', script], { cwd: shell.home, env, stdout: 'pipe', stderr: 'pipe' })
      return (await new Response(child.stdout).text()).trim().split('\n')
    }
    expect(await completed('cre')).toEqual(['create'])
    expect(await completed('keys', '')).toEqual(['list', 'create', 'revoke', 'rotate'])
    expect(await completed('keys', 'create', '--per')).toEqual(['--per-hour'])
    expect(await completed('create', '--file', 'bun')).toEqual(['bundle.txt'])
    expect(await completed('insights', 'x', '--range', '')).toEqual(['7d', '30d', '90d'])
    const made = await shell.openall(['create', 'https://a.example/', '--json'])
    const { slug } = JSON.parse(made.stdout) as { slug: string }
    expect(await completed('show', slug.slice(0, 5))).toEqual([slug])
    expect(await completed('policy', 'test', slug.slice(0, 5))).toEqual([slug])

    // Somebody else’s words must not run in one’s shell, neither when they are listed nor when they are inserted.
    const options = ['eu', 'eu west', '$(touch pwned)', '`touch pwned`;#']
    const variables = [{ name: 'region', options }, { name: 'id' }]
    const filled = await person.makeBundle({ urls: ['https://a.example/{id}/{region}'], variables })
    expect(await completed('open', filled.slug, '')).toEqual(['region=', 'id='])
    expect(await completed('open', filled.slug, 're')).toEqual(['region='])
    const quoted = ['eu', 'eu\\ west', '\\$\\(touch\\ pwned\\)', '\\`touch\\ pwned\\`\\;#']
    expect(await completed('open', filled.slug, 'region', '=')).toEqual(quoted)
    expect(await completed('open', filled.slug, 'id', '=', '4711', 'region', '=', 'eu ')).toEqual(['eu\\ west'])
    expect(existsSync(join(shell.home, 'pwned'))).toBe(false)
    expect(await complete('open', filled.slug, 'region=e')).toEqual(['region=eu', 'region=eu west'])
  })

  test('without a server, the error says how to set one', async () => {
    const env = { OPENALL_URL: '', OPENALL_KEY: '' }
    const { code, stderr } = await shell.openall(['whoami'], { env })
    // Something may listen on the default port; then it is another error.
    if (code === 1 && stderr.includes('cannot be reached')) expect(stderr).toContain('No server is set')
    expect((await shell.openall(['whoami', '--server', 'http://localhost:1'], { env })).stderr).not.toContain(
      'No server is',
    )
  })

  test('other shells get a script too, and an unknown one gets a list of them', async () => {
    for (const name of ['zsh', 'fish']) {
      expect((await shell.openall(['completion', name])).stdout).toContain('openall complete -- ')
    }
    expect((await shell.openall(['completion', 'tcsh'])).stderr).toContain('bash, zsh, fish')
  })
})
