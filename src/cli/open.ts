import { spawn } from 'node:child_process'
import { type Client, OpenallError } from '../sdk/openall.ts'
import { SLUG } from './bundles.ts'
import { command, slugIn } from './command.ts'
import { EXIT } from './exit.ts'
import { note, oneLine, print, printJson } from './output.ts'

export const open = command({
  name: 'open',
  summary: 'Open the tabs of your bundle in your browser, except those marked manual',
  examples: ['openall open 4k2mz7qy9p', 'openall open 4k2mz7qy9p --all --print'],
  args: {
    slug: SLUG,
    all: { type: 'boolean', alias: 'a', description: 'Include tabs marked manual' },
    print: { type: 'boolean', alias: 'p', description: 'Print the URLs without opening them' },
  },
  async run({ args, server, client }) {
    const slug = slugIn(args.slug, server)
    const urls = (await tabsOf(slug, server, client, args.all ? 'all' : 'auto')).filter((url) => /^https?:/i.test(url))
    const canOpen = args.print || hasBrowser()
    if (canOpen && !args.print) for (const url of urls) await openInBrowser(url)
    if (args.json) printJson({ urls })
    else for (const url of urls) print(oneLine(url))
    if (canOpen) return
    note(
      'There is no browser on this machine: open these links elsewhere, or set BROWSER to a program that opens them.',
    )
    process.exitCode = EXIT.noBrowser
  },
})

/** The URLs of the caller's own bundle; otherwise its launcher, which shows each viewer their own tabs. */
async function tabsOf(slug: string, server: string, client: Client, which: 'all' | 'auto'): Promise<string[]> {
  try {
    const { urls, urlMetadata } = await client.getBundle({ slug })
    return urls.filter((_, index) => which === 'all' || urlMetadata[index]?.openPolicy !== 'manual')
  } catch (error) {
    if (!(error instanceof OpenallError) || (error.status !== 401 && error.status !== 403)) throw error
    note('This bundle is not yours, so this opens its page: press Open all there.')
    return [`${server}/l/${encodeURIComponent(slug)}`]
  }
}

/** Whether a browser can be shown: over SSH and in containers there is no display. */
function hasBrowser(): boolean {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env
  if (BROWSER || process.platform === 'darwin' || process.platform === 'win32') return true
  return Boolean(DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME)
}

/** Starts the browser without a shell, because the URL is untrusted. */
function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = browser()
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new Error(`${program} cannot be run: set BROWSER to your browser, or use --print`)))
    child.on('spawn', () => {
      child.unref()
      resolve()
    })
  })
}

function browser(): [string, ...string[]] {
  if (process.env.BROWSER) return [process.env.BROWSER]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
