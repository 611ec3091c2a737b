import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packCommand, RUNTIMES, Shell } from '../cli/shell.ts'
import { eventually } from '../eventually.ts'
import { reach } from '../oauth.ts'
import { newOrganization, newPerson, type Person } from '../people.ts'
import { setStage } from './stage.ts'

const stage = setStage()

interface Saved {
  keys: Record<string, string>
  signIns: Record<string, { accessToken: string; refreshToken: string; expiresAt: number }>
}

beforeAll(packCommand)

describe.each(RUNTIMES)('on %s', (_, start) => {
  const newShell = () => {
    const shell = new Shell(start(), { OPENALL_URL: stage.server.origin })
    // Stands for the browser: the test opens the page in its own.
    shell.env.BROWSER = shell.write(
      'browser',
      '#!/bin/sh\nprintf %s "$1" > "$HOME/asked.part"\nmv "$HOME/asked.part" "$HOME/asked"\n',
    )
    return shell
  }
  const fileOf = (shell: Shell) => join(shell.home, '.config/openall/config.json')
  const savedBy = (shell: Shell) => JSON.parse(readFileSync(fileOf(shell), 'utf8')) as Saved
  /** Runs login, and has a person press a button on the page that it opens. */
  const login = async (shell: Shell, person: Person, press: 'Connect' | 'Cancel', args: string[] = []) => {
    const asked = join(shell.home, 'asked')
    rmSync(asked, { force: true })
    const running = shell.openall(['login', '--web', ...args])
    await eventually(() => existsSync(asked), 'a browser')
    const { page, complaints } = await stage.open(readFileSync(asked, 'utf8'), person)
    const said = await page.locator('main').innerText()
    const isBack = () => /^http:\/\/127\.0\.0\.1:\d+\/callback/.test(page.url())
    // A press in the first second in which the page is seen does nothing but ask for another.
    await eventually(async () => {
      if (!isBack())
        await page
          .getByRole('button', { name: press })
          .click({ timeout: 2_000 })
          .catch(() => {})
      return isBack()
    }, 'the way back to the command')
    const end = await page.locator('body').innerText()
    return { ...(await running), said, end, complaints }
  }

  test('login with the browser gives tokens, which are renewed, and logout ends them', async () => {
    const { origin } = stage.server
    const person = await newPerson(stage.server)
    const shell = newShell()
    const { code, stdout, stderr, said, end, complaints } = await login(shell, person, 'Connect')
    expect([code, stdout]).toEqual([0, `Logged in to ${origin} as user ${person.userId}.\n`])
    expect(said).toContain('Openall command line')
    expect(end).toContain('Signed in. You can close this page')
    expect(complaints).toEqual([])
    const first = savedBy(shell).signIns[origin]!
    expect(stdout + stderr).not.toContain(first.accessToken)
    expect(statSync(fileOf(shell)).mode & 0o777).toBe(0o600)
    expect((await shell.openall(['create', 'https://a.example/'])).code).toBe(0)
    // Its scope does not include this.
    expect((await shell.openall(['keys', 'list'])).code).toBe(3)

    const expired = savedBy(shell)
    expired.signIns[origin]!.expiresAt = 0
    writeFileSync(fileOf(shell), JSON.stringify(expired))
    const both = await Promise.all([shell.openall(['whoami']), shell.openall(['whoami'])])
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const second = savedBy(shell).signIns[origin]!
    expect(second.accessToken).not.toBe(first.accessToken)
    expect(await reach(stage.server, first.accessToken)).toEqual({ mcp: 401, api: 401 })
    expect(await reach(stage.server, second.accessToken)).toEqual({ mcp: 200, api: 200 })

    expect((await shell.openall(['logout'])).stdout).toBe(`Logged out of ${origin}.\n`)
    expect(savedBy(shell).signIns).toEqual({})
    expect(await reach(stage.server, second.accessToken)).toEqual({ mcp: 401, api: 401 })
    expect((await shell.openall(['whoami'])).code).toBe(3)
    expect((await shell.openall(['logout'])).stdout).toContain('There is no saved key')
    shell.remove()
  })

  test('who cancels, or whose sign-in was revoked, is told so', async () => {
    const { origin } = stage.server
    const person = await newPerson(stage.server)
    await newOrganization(person)
    const shell = newShell()
    const cancelled = await login(shell, person, 'Cancel')
    expect([cancelled.code, cancelled.end]).toEqual([3, expect.stringContaining('Not signed in.')])
    expect(cancelled.stderr).toContain('did not connect')
    expect(existsSync(fileOf(shell))).toBe(false)

    const { said } = await login(shell, person, 'Connect', ['--scope', 'keys:admin'])
    expect(said).toContain('keys:admin')
    const { apiKeys } = await shell.json<{ apiKeys: { id: number }[] }>(['keys', 'list'])
    expect((await person.api('DELETE', `/api/me/keys?id=${apiKeys[0]?.id}`)).status).toBe(200)
    expect((await shell.openall(['whoami'])).code).toBe(3)
    const ended = savedBy(shell)
    ended.signIns[origin]!.expiresAt = 0
    writeFileSync(fileOf(shell), JSON.stringify(ended))
    const { code, stderr } = await shell.openall(['whoami'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('Sign in again')])
    expect(savedBy(shell).signIns).toEqual({})
    shell.remove()
  })
})
