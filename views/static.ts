import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { entryOf } from '../src/core/entry.ts'

const VIEWS = new URL('./', import.meta.url)
const HTMX = import.meta.resolve('htmx.org/dist/htmx.min.js')

const CSS = 'text/css; charset=utf-8'
const JS = 'text/javascript; charset=utf-8'

/** The styles of every page of the service itself; launchers have their own. */
const SITE_CSS = ['parts/tokens.css', 'parts/site.css', 'parts/fields.css', 'home/home.css', 'account/account.css']
const SITE_JS = ['parts/copy.js', 'parts/site.js']

/** Each file that is served, and the sources it is put together from, which stand beside the pages they are for. */
const FILES: Record<string, { type: string; sources: string[] }> = {
  'launcher.css': {
    type: CSS,
    sources: ['parts/tokens.css', 'launcher/launcher.css', 'launcher/tabs.css', 'launcher/media.css'],
  },
  'launcher.js': { type: JS, sources: ['parts/copy.js', 'launcher/launcher.js'] },
  'site.css': { type: CSS, sources: SITE_CSS },
  'site.js': { type: JS, sources: SITE_JS },
  'dashboard.css': {
    type: CSS,
    sources: [
      ...SITE_CSS,
      'dashboard/parts/shell.css',
      'dashboard/parts/page.css',
      'dashboard/parts/lists.css',
      'dashboard/parts/sample.css',
      'dashboard/bundles/bundles.css',
      'dashboard/parts/menus.css',
      'dashboard/parts/palette.css',
      'dashboard/parts/tags-and-tables.css',
      'dashboard/parts/media.css',
      'dashboard/bundles/examples.css',
      'dashboard/editor/editor.css',
      'dashboard/editor/link-rows.css',
      'dashboard/parts/save-bar.css',
      'dashboard/import/import.css',
      'dashboard/editor/take-theirs.css',
      'dashboard/rules/page.css',
      'dashboard/rules/rule.css',
      'dashboard/rules/condition.css',
      'dashboard/rules/tab-fields.css',
      'dashboard/rules/section.css',
      'dashboard/rules/tester.css',
      'dashboard/rules/media.css',
      'dashboard/versions/versions.css',
      'dashboard/insights/insights.css',
      'dashboard/parts/panels.css',
      'dashboard/parts/forced-colors.css',
    ],
  },
  'dashboard.js': {
    type: JS,
    sources: [
      ...SITE_JS,
      'dashboard/parts/saving.js',
      'dashboard/parts/shell.js',
      'dashboard/parts/palette.js',
      'dashboard/bundles/bundles.js',
      'dashboard/editor/editor.js',
      'dashboard/import/import.js',
      'dashboard/rules/rules.js',
    ],
  },
  'docs.css': { type: CSS, sources: [...SITE_CSS, 'docs/docs.css', 'docs/operation.css'] },
  'docs.js': { type: JS, sources: ['docs/docs.js'] },
  'htmx.js': { type: JS, sources: [HTMX] },
  'icon.svg': { type: 'image/svg+xml', sources: ['parts/icon.svg'] },
}

export const assetNames: readonly string[] = Object.keys(FILES)

/** A file of the pages, as it is served. */
interface Asset {
  /** Holds the hash of the body, and so may be kept for good. */
  address: string
  type: string
  body: string
}

/** By name; each is put together when it is first asked for. */
const assets = new Map<string, Asset>()

function assetOf(name: string): Asset | undefined {
  const file = entryOf(FILES, name)
  let made = assets.get(name)
  if (made === undefined && file !== undefined) {
    const { type, sources } = file
    const body = sources.map((source) => readFileSync(new URL(source, VIEWS), 'utf8')).join('\n')
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
    made = { address: `/static/${name.replace('.', `.${hash}.`)}`, type, body }
    assets.set(name, made)
  }
  return made
}

/** The address of a file, which changes with its content. */
export function asset(name: string): string {
  const { address } = assetOf(name) ?? {}
  if (address === undefined) throw new Error(`no such file: ${name}`)
  return address
}

/** The file at an address such as `/static/launcher.3f9a0c21.css`, or undefined where there is none. */
export function assetAt(address: string): Asset | undefined {
  const name = /^\/static\/([\w-]+)\.[0-9a-f]{8}(\.\w+)$/.exec(address)
  const found = name === null ? undefined : assetOf(`${name[1]}${name[2]}`)
  return found?.address === address ? found : undefined
}
