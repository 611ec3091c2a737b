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

/** A file of the pages, as it is served. */
export interface Asset {
  type: string
  body: string
}

/** By the name in its address, which holds its hash: `launcher.3f9a0c21.css`. */
export const assets = new Map<string, Asset>()
const addresses = new Map<string, string>()

for (const [name, { type, sources }] of Object.entries(FILES)) {
  const body = sources.map((source) => readFileSync(new URL(source, STATIC), 'utf8')).join('\n')
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  const hashed = name.replace('.', `.${hash}.`)
  assets.set(hashed, { type, body })
  addresses.set(name, `/static/${hashed}`)
}

/** The address of a file, which changes with its content and so may be kept for good. */
export function asset(name: string): string {
  const address = addresses.get(name)
  if (address === undefined) throw new Error(`no such file: ${name}`)
  return address
}
