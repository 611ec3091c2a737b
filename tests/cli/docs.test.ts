import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EXIT } from '../../src/cli/exit.ts'
import type { Person } from '../people.ts'
import { IS_WHOLE_MATRIX, type Server } from '../server.ts'
import { testOnce } from '../targets.ts'
import { RUNTIMES, Shell, serveCommand } from './shell.ts'

// Starts many processes, on a machine that may be busy.
setDefaultTimeout(180_000)

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8')
const blocks = Array.from(PAGE.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
/**
 * On Node and Deno those in which the runtime does something besides requests: it reads files and pipes, starts an editor or
 * a browser. What the flags mean is the same code on each, so the others are left to the whole matrix.
 */
const blocksOn = (runtime: string) =>
  runtime !== 'Bun' && !IS_WHOLE_MATRIX
    ? blocks.filter((block) => /[<|]|\b(?:EDITOR|import|apply|open)\b/.test(block))
    : blocks

let server: Server
let person: Person
let key: string
beforeAll(async () => {
  ;({ server, person, key } = await serveCommand())
})
afterAll(() => server.stop())

/** The environment that the page assumes. */
async function environment(): Promise<Record<string, string>> {
  const { slug } = await person.makeBundle({ title: 'Launch' })
  await person.api('PATCH', `/api/links/${slug}`, { title: 'Launch day' })
  return { OPENALL_URL: server.origin, OPENALL_KEY: key, SLUG: slug }
}

async function bash(shell: Shell, script: string) {
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: shell.home,
    env: { ...shell.environment, PATH: `${shell.home}:${shell.environment.PATH}`, BROWSER: 'true' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

test.each(RUNTIMES)('every command of the page works as written, on %s', async (runtime, start) => {
  expect(blocksOn(runtime).length).toBeGreaterThan(10)
  const shell = new Shell(start(), await environment())
  const words = shell.start.map((word) => `'${word}'`).join(' ')
  shell.write('openall', `#!/bin/sh\nexec ${words} "$@"\n`)
  for (const block of blocksOn(runtime)) {
    const { code, output, errors } = await bash(shell, block)
    expect([block, code, code === 0 ? '' : output + errors]).toEqual([block, 0, ''])
  }
  const { body } = await person.api('GET', `/api/links/${shell.env.SLUG}`)
  // The block that restores it is among them.
  if (blocksOn(runtime) === blocks) expect(body.title).toBe('Launch')
  expect(body).toMatchObject({ resolutionPolicy: { rules: [{ name: 'Phones' }] } })
  const failing = await bash(shell, `openall show "$SLUG-not"`)
  expect(failing.code).toBe(4)
  shell.remove()
})

testOnce('the page has every exit code, and help says the same', async () => {
  const rows = Array.from(PAGE.matchAll(/^\| (\d) +\|/gm), ([, code]) => Number(code))
  const codes = [...new Set<number>(Object.values(EXIT))]
  expect(rows).toEqual(codes)
  const [, start] = RUNTIMES[0]!
  const shell = new Shell(start(), {})
  const { stdout } = await shell.openall(['--help'])
  const [, told = ''] = stdout.split('Exit codes: ')
  expect(Array.from(told.matchAll(/\b(\d) /g), ([, code]) => Number(code))).toEqual(codes)
  shell.remove()
})

testOnce('the page covers every command', async () => {
  const [, start] = RUNTIMES[0]!
  const shell = new Shell(start(), {})
  const { stdout } = await shell.openall(['complete', '--', ''])
  const untold = stdout.split('\n').filter((name) => name !== '' && !PAGE.includes(`openall ${name}`))
  expect(untold).toEqual([])
  shell.remove()
})
