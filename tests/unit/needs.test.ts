import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Glob } from 'bun'

// A machine with Bun and nothing else: what it lacks is left out and named, but in CI it is an error.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const empty = mkdtempSync(join(tmpdir(), 'openall-bare-'))
afterAll(() => rmSync(empty, { recursive: true }))

async function onBareMachine(CI: string, ...words: string[]): Promise<{ code: number; text: string }> {
  const env = { PATH: empty, HOME: empty, CI }
  const child = Bun.spawn([process.execPath, ...words], { cwd: ROOT, env, stdout: 'pipe', stderr: 'pipe' })
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, text: texts.join('\n') }
}

test('tests whose programs are missing are left out, and one line says how many and why', async () => {
  expect(await onBareMachine('', 'tests/prepare.ts')).toMatchObject({ code: 0 })
  const { code, text } = await onBareMachine('', 'tests/run.ts', 'usual', 'docs/proposals')
  expect(text).toMatch(/^Left out of the tests on usual: [1-9]\d* that need curl \(tests\/README\.md\)$/m)
  expect([code, text.includes('Tests on usual: 0 passed, 0 failed')]).toEqual([0, true])
})

test('in CI the same machine fails, before the tests and in each of them', async () => {
  const before = await onBareMachine('true', 'tests/prepare.ts')
  expect(before.code).toBe(1)
  for (const name of ['Chromium (Debian: apt install chromium)', 'redis-server', 'caddy', 'Prometheus', 'Firefox'])
    expect(before.text).toContain(name)
  const during = await onBareMachine('true', 'tests/run.ts', 'usual', 'docs/proposals')
  expect(during.code).toBe(1)
  expect(during.text).toContain('this needs curl (Debian: apt install curl)')
  expect(during.text).toMatch(/^Tests on usual: 0 passed, [1-9]\d* failed$/m)
  expect(during.text).not.toContain('Left out')
})

test('nothing else about a machine leaves a test out', () => {
  // Which browser, part of the matrix or length of a fault a test is for.
  const choices = [
    /^isLeftOut\([\w ,'-]+\)( \|\| !IS_FULL)?$/,
    /^MATRIX !== 'rest'$/,
    /^kind\.(?:name|perPress) /,
    /^blocker ===/,
  ]
  const found = [...new Glob('tests/**/*.{ts,tsx}').scanSync(ROOT)].flatMap((file) =>
    [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(?:test|describe|it)\.(skip|todo|only|skipIf|if)\b(.*)/g),
    ].map(([, how = '', rest = '']) => ({ file, how, on: /^\((.*?)\)(?:\(|\.each|$)/.exec(rest)?.[1] ?? rest })),
  )
  expect(found.length).toBeGreaterThan(5)
  expect(found.filter(({ how, on }) => !how.endsWith('f') || !choices.some((choice) => choice.test(on)))).toEqual([])
})
