import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMailSink } from '../mail-sink.ts'
import { runOperator } from '../operator.ts'
import { linkIn } from '../people.ts'
import { freePort } from '../ports.ts'
import { type Server, startServer } from '../server.ts'
import { kindsOfWay } from './engines.ts'
import { At, button, field, link, tab } from './journey.ts'
import type { Engine } from './viewer.ts'

// Somebody who runs the service for a team, as docs/self-hosting.md says: one folder, the real process, its commands, a
// mail server, and a browser for the pages. What each part promises is tested where it is.

// Only guards against hanging; generous, because the machine may be busy.
setDefaultTimeout(300_000)

const EMAIL = 'you@example.com'

describe.each(kindsOfWay('Chromium'))('$name', (kind) => {
  let engine: Engine
  let folder: string
  let sink: Awaited<ReturnType<typeof startMailSink>>
  let server: Server | undefined
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'openall-host-'))
    sink = await startMailSink(freePort())
    engine = await kind.start()
  })
  afterAll(async () => {
    await engine?.stop()
    await server?.stop()
    await sink?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a private instance is begun, used, backed up, stopped, restored with short links, and has lost nothing', async () => {
    const database = join(folder, 'openall.db')
    const metrics = freePort()
    const env: Record<string, string> = {
      SERVICE_SIGN_UP: 'invited',
      SERVICE_ANONYMOUS_BUNDLES: 'off',
      SERVICE_PASSWORD_SIGN_IN: 'off',
      SMTP_URL: sink.url,
      SERVICE_METRICS_PORT: String(metrics),
    }
    const operate = <T>(...args: string[]) => runOperator<T>({ database }, args, { env })
    server = await startServer({ env, database })
    const get = async (path: string) => (await fetch(server?.origin + path)).text()
    expect([await get('/healthz'), await get('/readyz')]).toEqual(['ok', 'ready'])
    expect(await operate<object>('add-account', EMAIL)).not.toHaveProperty('error')

    const viewer = await engine.open(`${server.origin}/`, { popups: 'as-is' })
    const at = new At(server.origin, viewer)
    // Nobody else makes anything here.
    await at.has(link('Sign in'))
    await at.open('/sign-in?next=/dashboard')
    await at.fill('[type=email]', EMAIL)
    await viewer.press('Enter')
    await at.open(linkIn(await sink.mailTo(EMAIL, 'Your sign-in link')))
    await at.click('main form [type=submit]')
    await at.has(link('New bundle'))
    await at.click(link('New bundle'))
    await at.paste('#urls', 'The plan: https://plan.example/\nhttps://board.example/')
    await at.sees('board.example')
    await at.fill(field('Title'), 'Launch day')
    await at.click('//summary[contains(., "Choose its link")]')
    await at.fill(field('Custom link'), 'launch-day')
    await at.click(button('Get the link'))
    await at.has(tab('Insights'))
    expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).toContain('openall_')

    const backups = join(folder, 'backups')
    mkdirSync(backups)
    const copy = join(backups, 'openall-before.db')
    expect(await operate<object>('backup', copy)).toMatchObject({ bundles: 1 })
    expect(await operate<object>('verify', backups)).not.toHaveProperty('error')
    expect(await server.stop()).toBe(0)

    const before = join(folder, 'before')
    mkdirSync(before)
    for (const name of readdirSync(folder).filter((name) => name.startsWith('openall.db'))) {
      renameSync(join(folder, name), join(before, name))
    }
    expect(await operate<object>('restore', copy)).toMatchObject({ bundles: 1 })
    env.SERVICE_SHORT_PATHS = 'on'
    await server.restart()
    // Whoever was signed in still is.
    await at.open('/dashboard')
    await at.has(link('Launch day'))
    await at.open('/launch-day')
    await at.sees('Launch day')
    expect(await at.path()).toBe('/launch-day')
    expect(await at.viewer.read<string[]>(`[...document.querySelectorAll('a')].map(({ href }) => href)`)).toEqual(
      expect.arrayContaining(['https://plan.example/', 'https://board.example/']),
    )
    await at.open('/retro')
    await at.click('main a[href*="/links/new?slug=retro"]')
    await at.has('#slug')
    expect(await at.viewer.read<string>(`document.querySelector('[name=slug]').value`)).toBe('retro')
    await at.expectQuiet()
    await viewer.close()
    expect(await server.stop()).toBe(0)
    server = undefined
  })
})
