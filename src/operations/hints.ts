import { isNear } from '../core/distance.ts'
import type { Hint, Issue, Path } from '../core/issue.ts'
import type { Operation } from './operation.ts'
import { fieldsAt } from './places.ts'
import { isSynonym } from './synonyms.ts'

/** Longer values are not quoted: their senders know what they sent. */
const MAX_QUOTED = 100

/**
 * What the sender of a wrong field probably meant, if it can be told.
 * @param data the wrong value. @param sent the whole input.
 */
export function hintFor(
  { path, reason }: Issue,
  data: unknown,
  schema: Operation['input'],
  sent: unknown,
): Hint | undefined {
  const name = String(path.at(-1))
  if (reason.code === 'missing') return path.length === 1 ? forMissing(name, sent) : undefined
  if (reason.code === 'unknown_field') {
    const near = meantBy(name, fieldsAt(schema, path.slice(0, -1)))
    return near === undefined ? undefined : { code: 'near', name: near }
  }
  if (reason.code === 'not_a_web_address') {
    const text = String(data).trim()
    return text.length > MAX_QUOTED ? undefined : { code: 'instead_of', sent: text, meant: addressIn(text) }
  }
  const isJson = reason.code === 'type' && typeof data === 'string' && /^\s*[[{]/.test(data)
  return isJson ? { code: 'meant_json' } : forLink(path, data)
}

/** The field that a name probably stands for: one with nearly that name, else one that others call so. */
function meantBy(name: string, fields: readonly string[]): string | undefined {
  return fields.find((field) => isNear(name, field)) ?? fields.find((field) => isSynonym(name, field))
}

/** A required field that was sent under another name: `url` or `links` for `urls`. */
function forMissing(name: string, sent: unknown): Hint | undefined {
  if (sent === null || typeof sent !== 'object') return undefined
  const names = Object.keys(sent)
  const other = names.find((key) => isNear(key, name)) ?? names.find((key) => isSynonym(key, name))
  return other === undefined ? undefined : { code: 'sent_as', name: other }
}

function addressIn(text: string): string | null {
  const address = `https://${text}`
  const isHost = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]\S*)?$/.test(text) && URL.canParse(address)
  return isHost ? address : null
}

/** Lists of links, and lists of objects with a link. */
const LISTS: ReadonlySet<unknown> = new Set(['urls', 'removeUrls'])
const OBJECTS: ReadonlySet<unknown> = new Set(['tabs', 'addUrls'])

/** A link that was sent in another form than its place takes. */
function forLink(path: Path, data: unknown): Hint | undefined {
  const isText = typeof data === 'string' && data.length <= MAX_QUOTED
  if (isText && path.length === 1 && LISTS.has(path[0])) return { code: 'meant_list', link: data }
  if (isText && OBJECTS.has(path.at(-2))) return { code: 'meant_tab', link: data }
  const { url } = (data ?? {}) as { url?: unknown }
  const isTab = path.length === 2 && path[0] === 'urls' && typeof url === 'string' && url.length <= MAX_QUOTED
  return isTab ? { code: 'meant_text', link: url } : undefined
}
