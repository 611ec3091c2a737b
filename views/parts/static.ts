import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { entryOf } from '../../src/core/entry.ts'

const VIEWS = new URL('../', import.meta.url)
const HTMX = import.meta.resolve('htmx.org/dist/htmx.min.js')

const CSS = 'text/css; charset=utf-8'
const JS = 'text/javascript; charset=utf-8'

/** The styles of every page of the service itself; launchers have their own. */
const SITE_CSS = [
  'parts/tokens.css',
  'parts/site.css',
  'parts/fields.css',
  'home/home.css',
  'account/account.css',
  'account/consent.css',
]
const SITE_JS = ['parts/copy.js', 'parts/site.js', 'parts/field-errors.js']

/** The styles of launchers. */
const LAUNCHER_CSS = [
  'parts/tokens.css',
  'launcher/launcher.css',
  'launcher/tabs.css',
  'launcher/sections.css',
  'launcher/media.css',
]
/** The styles that are added where there are variables. */
const VALUES_CSS = ['launcher/values.css']

/**
 * What is for readers of the source only, by type: a third of a launcher's script. A line comment of a script is left out
 * where it has a line of its own, because `//` is also in texts; no text begins like a block.
 */
const COMMENTS: Record<string, RegExp> = {
  [CSS]: /\/\*.*?\*\//gs,
  [JS]: /\/\*\*.*?\*\/ ?|^\s*\/\/[^\n]*$/gms,
}

/** What makes a module of a source; the files that are served are plain scripts. */
const MODULE = /^import [^\n]*\n|^export (?=const |function )/gm

interface File {
  type: string
  sources: string[]
  /** Whether documents of another origin may load it. */
  isForFrames?: true
}

/** Each served file and the sources it is built from, which are next to their pages. */
const FILES: Record<string, File> = {
  'launcher.css': { type: CSS, sources: LAUNCHER_CSS },
  // For the editor's preview, whose sandboxed frame has an opaque origin and no scripts, but must look as if it had them.
  'preview.css': {
    type: CSS,
    sources: [...LAUNCHER_CSS, ...VALUES_CSS, 'launcher/preview.css'],
    isForFrames: true,
  },
  'values.css': { type: CSS, sources: VALUES_CSS },
  'scriptless.css': { type: CSS, sources: ['launcher/scriptless.css'] },
  'launcher.js': { type: JS, sources: ['parts/copy.js', 'launcher/how.js', 'launcher/open-all.js'] },
  // After launcher.js, where there are variables. The first source is also what the server fills with.
  'fill.js': { type: JS, sources: ['../src/core/template.js', 'launcher/fill.js'] },
  'away.js': { type: JS, sources: ['launcher/away.js'] },
  'countdown.js': { type: JS, sources: ['launcher/countdown.js'] },
  'site.css': { type: CSS, sources: SITE_CSS },
  'site.js': { type: JS, sources: SITE_JS },
  'consent.js': { type: JS, sources: ['account/consent.js'] },
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
      'dashboard/editor/link-rows-media.css',
      'dashboard/editor/preview.css',
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
      'dashboard/proposals/proposals.css',
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
      'dashboard/parts/dashboard.js',
      'dashboard/parts/palette-keys.js',
      'dashboard/bundles/selection.js',
      'dashboard/editor/link-list.js',
      'dashboard/editor/sections.js',
      'dashboard/editor/form.js',
      'dashboard/editor/local-times.js',
      'dashboard/parts/empty-times.js',
      'dashboard/editor/preview-frame.js',
      'dashboard/import/dropped-file.js',
      'dashboard/rules/rules-form.js',
    ],
  },
  'docs.css': { type: CSS, sources: [...SITE_CSS, 'docs/docs.css', 'docs/operation.css', 'docs/guide.css'] },
  'docs.js': { type: JS, sources: ['docs/send.js'] },
  'htmx.js': { type: JS, sources: [HTMX] },
  'icon.svg': { type: 'image/svg+xml', sources: ['parts/icon.svg'] },
}

export const assetNames: readonly string[] = Object.keys(FILES)

/** A served file. */
interface Asset {
  /** Contains a hash of the body, so that it can be cached forever. */
  address: string
  type: string
  body: string
  /** Whether documents of another origin may load it. */
  isForFrames: boolean
}

/** By name; built on first use. */
const assets = new Map<string, Asset>()

function assetOf(name: string): Asset | undefined {
  const file = entryOf(FILES, name)
  let made = assets.get(name)
  if (made === undefined && file !== undefined) {
    const { type, isForFrames = false } = file
    const body = bodyOf(file)
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
    made = { address: `/static/${name.replace('.', `.${hash}.`)}`, type, body, isForFrames }
    assets.set(name, made)
  }
  return made
}

function bodyOf({ type, sources }: File): string {
  const texts = sources.map((source) => {
    const text = readFileSync(new URL(source, VIEWS), 'utf8')
    const comments = source === HTMX ? undefined : COMMENTS[type]
    return comments === undefined ? text : text.replace(comments, '').replace(MODULE, '').replace(/^\s+/gm, '')
  })
  return texts.join('\n')
}

/** The address of a file; it changes with the content. */
export function asset(name: string): string {
  const { address } = assetOf(name) ?? {}
  if (address === undefined) throw new Error(`no such file: ${name}`)
  return address
}

/** The file at an address such as `/static/launcher.3f9a0c21.css`, or undefined if there is none. */
export function assetAt(address: string): Asset | undefined {
  const name = /^\/static\/([\w-]+)\.[0-9a-f]{8}(\.\w+)$/.exec(address)
  const found = name === null ? undefined : assetOf(`${name[1]}${name[2]}`)
  return found?.address === address ? found : undefined
}
