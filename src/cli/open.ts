import { type Client, OpenallError } from '../sdk/openall.ts'
import { hasBrowser, openInBrowser } from './browser.ts'
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
