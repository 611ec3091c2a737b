import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const STATIC = new URL('./static/', import.meta.url)
const HTMX = import.meta.resolve('htmx.org/dist/htmx.min.js')

/** Each file that is served, and the sources it is put together from. */
const FILES: Record<string, { type: string; sources: string[] }> = {
  'launcher.css': { type: 'text/css; charset=utf-8', sources: ['tokens.css', 'launcher.css'] },
  'launcher.js': { type: 'text/javascript; charset=utf-8', sources: ['copy.js', 'launcher.js'] },
  'site.css': { type: 'text/css; charset=utf-8', sources: ['tokens.css', 'site.css'] },
  'site.js': { type: 'text/javascript; charset=utf-8', sources: ['copy.js', 'site.js'] },
  'dashboard.css': {
    type: 'text/css; charset=utf-8',
    sources: [
      'tokens.css',
      'site.css',
      'dashboard.css',
      'editor.css',
      'rules.css',
      'history.css',
      'insights.css',
      'account.css',
    ],
  },
  'dashboard.js': {
    type: 'text/javascript; charset=utf-8',
    sources: ['copy.js', 'site.js', 'dashboard.js', 'editor.js', 'rules.js'],
  },
  'docs.css': { type: 'text/css; charset=utf-8', sources: ['tokens.css', 'site.css', 'docs.css'] },
  'docs.js': { type: 'text/javascript; charset=utf-8', sources: ['docs.js'] },
  'htmx.js': { type: 'text/javascript; charset=utf-8', sources: [HTMX] },
  'icon.svg': { type: 'image/svg+xml', sources: ['icon.svg'] },
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
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined
  let made = assets.get(name)
  if (made === undefined && file !== undefined) {
    const { type, sources } = file
    const body = sources.map((source) => readFileSync(new URL(source, STATIC), 'utf8')).join('\n')
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
