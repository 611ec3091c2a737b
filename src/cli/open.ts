import { completionsOf } from '../bundles/variables/variables.ts'
import { routes } from '../core/routes.ts'
import { type Client, OpenallError } from '../sdk/openall.ts'
import { hasBrowser, openInBrowser } from './browser.ts'
import { command } from './command.ts'
import { EXIT } from './exit.ts'
import { type Asked, askedIn, filledTabs } from './filled-tabs.ts'
import { note, oneLine, print, printJson } from './output.ts'
import { SLUG } from './row.ts'

export const open = command({
  summary: 'Open the tabs behind a link in your browser, except those marked manual',
  examples: [
    'openall open 4k2mz7qy9p',
    'openall open customer 4711',
    'openall open oncall service=checkout region=eu',
    'openall open 4k2mz7qy9p --all --print',
  ],
  args: {
    slug: SLUG,
    value: {
      type: 'positional',
      optional: true,
      description: 'A variable’s value, as name=value, or alone for the first one; repeatable',
    },
    all: { type: 'boolean', alias: 'a', description: 'Include tabs marked manual' },
    print: { type: 'boolean', alias: 'p', description: 'Print the URLs without opening them' },
  },
  rest: 'any',
  async completeRest({ slug, typed, server, client }) {
    const { variables } = await client.getTabs({ slug: askedIn(slug, [], server).slug })
    return completionsOf(typed, variables)
  },
  async run({ args, more, server, client }) {
    const asked = askedIn(args.slug, args.value === undefined ? [] : [args.value, ...more], server)
    const urls = (await urlsOf(asked, server, client, args.all)).filter((url) => /^https?:/i.test(url))
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

/** Refusals that a launcher’s own page handles: it accepts a session or a password, or explains more. */
const AT_ITS_PAGE: readonly string[] = ['MEMBERS_ONLY', 'PASSWORD_REQUIRED', 'NOT_OPEN_YET', 'CLOSED']

/** The URLs of the tabs; the launcher's own URL if only a browser can continue. */
async function urlsOf(asked: Asked, server: string, client: Client, isAll: boolean): Promise<string[]> {
  try {
    const { tabs } = await filledTabs(asked, client)
    return tabs.filter(({ openPolicy }) => isAll || openPolicy !== 'manual').map(({ url }) => url)
  } catch (error) {
    if (!(error instanceof OpenallError) || !AT_ITS_PAGE.includes(error.code)) throw error
    note(oneLine(`${error.message} This opens its page.`))
    return [pageOf(asked, server)]
  }
}

function pageOf({ slug, values, first }: Asked, server: string): string {
  const { page, filled } = routes.launcher
  const path = first === null ? page.href({ slug }) : filled.href({ slug, value: first.value })
  const query = new URLSearchParams(values).toString()
  return `${server}${path}${query === '' ? '' : `?${query}`}`
}
