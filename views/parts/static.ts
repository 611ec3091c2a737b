import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { routes } from '../../src/core/routes.ts'
import { entryOf } from '../../src/core/untyped.ts'
import { scriptOf } from './scripts.ts'
import { CSS, FILES, type File, HTMX, JS, WOFF2 } from './static-files.ts'

const VIEWS = new URL('../', import.meta.url)

/** Comments are only for readers of the source. */
const COMMENT = /\/\*.*?\*\//gs

/** How a script names another file that it loads. */
const LOADED = /(?<=')static:([\w-]+\.\w+)(?=')/g

export const assetNames: readonly string[] = Object.keys(FILES)

/** A served file. */
interface Asset {
  /** Contains a hash of the body, so that it can be cached forever. */
  address: string
  type: string
  /** A text, or the bytes of a font, which is already compressed. */
  body: string | Uint8Array<ArrayBuffer>
  /** Whether documents of another origin may load it. */
  isForFrames: boolean
}

/** By name; each is built on first use. */
const assets = new Map<string, Asset>()

function assetOf(name: string): Asset | undefined {
  const file = entryOf(FILES, name)
  let made = assets.get(name)
  if (made === undefined && file !== undefined) {
    const { type, isForFrames = false } = file
    const body = bodyOf(file)
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
    made = { address: routes.static.href({ file: name.replace('.', `.${hash}.`) }), type, body, isForFrames }
    assets.set(name, made)
  }
  return made
}

function bodyOf({ type, sources }: File): string | Uint8Array<ArrayBuffer> {
  if (type === WOFF2) return new Uint8Array(readFileSync(new URL(sources[0]!, VIEWS)))
  const texts = sources.map((source) => {
    if (type === JS && source !== HTMX) return scriptOf(new URL(source, VIEWS).href)
    const text = readFileSync(new URL(source, VIEWS), 'utf8')
    return type === CSS ? dense(text) : text
  })
  return texts
    .join('\n')
    .replace(/url\("([\w-]+\.\w+)"\)/g, (_, name: string) => `url("${asset(name)}")`)
    .replace(LOADED, (_, name: string) => asset(name))
}

/** A style sheet without what only its readers need. */
function dense(css: string): string {
  const plain = css.replace(COMMENT, '').replace(/\s*\n\s*/g, '\n')
  return plain.replace(/(?<=[{};:,])\n/g, '').replace(/;(?=\})|(?<=[:,>]) | (?=[{>])/g, '')
}

/** The address of a file, which changes with its content. @throws Error for an unknown name. */
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
