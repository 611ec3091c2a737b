import { Glob } from 'bun'
import { freePort } from '../ports.ts'
import { type Conditions, type Engine, PageCrash, PHONE } from './viewer.ts'
import { connected, routeOf, type Send, viewerOf } from './webdriver.ts'

/** The path of WebKitGTK's small browser, or null. */
function findMiniBrowser(): string | null {
  const [path = null] = new Glob('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').scanSync('/')
  return path
}

/** Longer than any command takes, on a busy machine too. */
const HANGS_AFTER_MS = 60_000

/** A driver, and a screen of its own. Without the screen its browsers end, hung ones too. */
async function startDriver() {
  const screen = Bun.spawn(['Xvfb', '-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { value: display } = await screen.stdout.getReader().read()
  const port = freePort()
  const driver = Bun.spawn(['WebKitWebDriver', `--port=${port}`], {
    env: { ...process.env, DISPLAY: `:${new TextDecoder().decode(display).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const origin = `http://127.0.0.1:${port}`
  await connected(() => fetch(`${origin}/status`), 'WebKitWebDriver listens')
  return {
    origin,
    async stop() {
      driver.kill('SIGKILL')
      screen.kill()
      await Promise.all([driver.exited, screen.exited])
    },
  }
}

/** Starts WebKitGTK's driver. Each visit is a session, because settings are the browser's. */
export async function startWebKit(): Promise<Engine> {
  const binary = findMiniBrowser()
  if (binary === null) throw new Error('no WebKitGTK')
  let driver = await startDriver()
  async function call(route: string, input: object | undefined): Promise<unknown> {
    const [method, path] = route.split(' ')
    const answer = await fetch(`${driver.origin}${path}`, {
      method: method as string,
      body: method === 'POST' ? JSON.stringify(input ?? {}) : null,
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
    }).catch(async (error) => {
      if (error.name !== 'TimeoutError') throw error
      await driver.stop()
      driver = await startDriver()
      throw new PageCrash(`${route}: the browser hangs`)
    })
    const { value } = (await answer.json()) as { value: unknown }
    if (answer.ok) return value
    const { error, message } = value as { error: string; message: string }
    // With many windows WebKit's allocator now and then ends a page's process (pas_panic); during a command, the driver says
    // no more than this.
    const isCrash = message.includes('page crash') || (error === 'unknown error' && message === '')
    if (isCrash) throw new PageCrash(`${route}: the page's process is gone`)
    throw new Error(JSON.stringify(value))
  }

  async function session({ window, scripts, screen }: Omit<Conditions, 'popups'>) {
    const args = [
      '--automation',
      ...(window === 'private' ? ['--private'] : []),
      // Its toolbar is wider than a phone.
      ...(screen === 'phone' ? ['--full-screen'] : []),
      ...(scripts === 'off' ? ['--enable-javascript=false'] : []),
    ]
    const alwaysMatch = { 'webkitgtk:browserOptions': { binary, args } }
    const start = () => call('POST /session', { capabilities: { alwaysMatch } })
    // One that hangs before it has seen a page says nothing of the page, and a driver’s second one starts.
    const started = start().catch((error) => {
      if (!(error instanceof PageCrash)) throw error
      return start()
    })
    return (await started) as { sessionId: string; capabilities: { browserVersion: string } }
  }

  async function open(url: string, conditions: Conditions) {
    const { sessionId } = await session(conditions)
    const its = driver
    const send: Send = (command, input) => call(routeOf(command, input).replace(' ', ` /session/${sessionId}`), input)
    const resize = async (width: number) => void (await send('SetWindowRect', { ...PHONE, width }))
    if (conditions.screen === 'phone') await resize(PHONE.width)
    await send('Navigate', { url })
    return viewerOf(send, conditions, {
      pointer: 'mouse',
      resize,
      async close() {
        // A driver that hung has been replaced, and its session ended with it.
        if (driver === its) await call(`DELETE /session/${sessionId}`, undefined)
      },
    })
  }

  const first = await session({})
  await call(`DELETE /session/${first.sessionId}`, undefined)
  return {
    name: `WebKitGTK ${first.capabilities.browserVersion} (MiniBrowser)`,
    open,
    stop: () => driver.stop(),
  }
}
