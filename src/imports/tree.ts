import { parseAllDocuments } from 'yaml'
import { readTags } from '../bundles/links/link-fields.ts'
import { emptyGroup, type FoundGroup, type FoundLink } from '../bundles/list/found.ts'
import { parseJson } from '../core/json.ts'
import { asText, isObject } from '../core/untyped.ts'
import { isTitle } from './titles.ts'

// Data of any shape from other programs: one walker for JSON, JSON lines and YAML.

/** The names of fields, without case, spaces, underscores and hyphens; the first with a value counts. */
const URL_KEYS = ['url', 'uri', 'href', 'link', 'longurl', 'long']
const TITLE_KEYS = ['title', 'name', 'note', 'description', 'text', 'short']
const TAG_KEYS = ['tags', 'labels', 'keywords']
/** Fields that name a group of links. */
const NAME_KEYS = ['title', 'name']
/** Fields with the address of a picture. */
const PICTURE = /^(?:icon|favicon|image|thumbnail)/

/** A browser's names for its own folders. */
const PLACES = /^(?:toolbar|menu|unfiled|mobile)$/

/** The deepest nesting, beyond which data is not read; and the most aliases of YAML, a bound that the library checks. */
const MAX_DEPTH = 100
const MAX_ALIASES = 100

type Json = Record<string, unknown>

/** The data in a text; undefined if it is not data, or nested too deeply. */
export function dataIn(text: string): unknown {
  return jsonIn(text) ?? jsonLinesIn(text) ?? yamlIn(text)
}

/** The JSON in a text; undefined if it is not JSON, or nested too deeply. */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** JSON with an object on each line. */
function jsonLinesIn(text: string): unknown {
  if (!/^\s*\{.*\}\s*(?:[\r\n]|$)/.test(text)) return undefined
  try {
    return text
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '')
      .map((line) => parseJson(line))
  } catch {
    return undefined
  }
}

/** A field with an address: only a text with one counts as YAML, because a list of links in prose is also valid YAML. */
const FIELD_OF_ADDRESS = /^[ \t]*(?:-[ \t]+)?(?:url|uri|href|link)[ \t]*:[ \t]+["']?https?:\/\/\S+["']?[ \t]*$/im

function yamlIn(text: string): unknown {
  if (!FIELD_OF_ADDRESS.test(text)) return undefined
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false })
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined
    return documents.map((document): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }))
  } catch {
    return undefined
  }
}

/** The place of a value: the name of its group, and the title for a single link there. */
interface Place {
  group: string
  title: string
}

/**
 * The links in data of any shape, in groups by the nearest named object around them; the `line` of a link is its number. If no
 * known field has an address, each field with one is a link, named by its key.
 */
export function readTree(data: unknown): FoundGroup[] {
  const found = linksIn(data, false)
  return found.length > 0 ? found : linksIn(data, true)
}

function linksIn(data: unknown, isLoose: boolean): FoundGroup[] {
  const groups = new Map<string, FoundGroup>()
  const seen = new Set<string>()
  const add = (group: string, link: Omit<FoundLink, 'line'>) => {
    if (seen.has(`${group}\n${link.url}`)) return
    seen.add(`${group}\n${link.url}`)
    const found = groups.get(group) ?? emptyGroup(group)
    groups.set(group, found)
    found.links.push({ ...link, line: seen.size })
  }
  const visit = (value: unknown, { group, title }: Place, depth: number) => {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(value)) {
      // The name of a list becomes that of its group; or, for a list with a single link, the title of that link.
      const [first] = value
      const isOne = value.length === 1 && isObject(first) && addressIn(fieldsOf(first)) !== ''
      const place = isOne ? { group, title } : { group: title === '' ? group : title, title: '' }
      for (const one of value) {
        if (isAddress(one)) add(place.group, { url: one, text: one })
        else visit(one, place, depth + 1)
      }
      return
    }
    if (!isObject(value)) return
    const fields = fieldsOf(value)
    const url = addressIn(fields)
    if (url !== '') add(group, linkOf(url, fields, title))
    const own = url === '' ? ownName(fields) : ''
    const keys = Object.entries(value)
    for (const [key, inner] of keys) {
      const isField = PICTURE.test(plain(key)) || TAG_KEYS.includes(plain(key))
      if (isField) continue
      if (isLoose && isAddress(inner)) add(own || title || group, { url: inner, text: inner, ...noteOf(key) })
      const isKeyName = keys.length === 1 && !LISTS.test(key) && isTitle(key)
      const around = own || group
      if (isKeyName) visit(inner, { group: around, title: key }, depth + 1)
      else
        visit(
          inner,
          Array.isArray(inner) ? { group: own || title || group, title: '' } : { group: around, title: own || title },
          depth + 1,
        )
    }
  }
  visit(data, { group: '', title: '' }, 0)
  return [...groups.values()]
}

/** Names of lists that say nothing about their content. */
const LISTS =
  /^(?:bookmarks|cards|children|data|entries|folders|groups|items|links|list|lists|pages|results|services|sites|tabs|urls|windows)$/i

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value.trim())
const noteOf = (note: string) => (note === '' || !isTitle(note) ? {} : { note })

const plain = (key: string) => key.toLowerCase().replace(/[\s_-]/g, '')

function fieldsOf(object: Json): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) if (!fields.has(plain(key))) fields.set(plain(key), value)
  return fields
}

function addressIn(fields: Map<string, unknown>): string {
  return asText(URL_KEYS.map((key) => fields.get(key)).find(isAddress)).trim()
}

function ownName(fields: Map<string, unknown>): string {
  const name = NAME_KEYS.map((key) => asText(fields.get(key)).trim()).find((text) => text !== '') ?? ''
  return isTitle(name) && !PLACES.test(name) ? name : ''
}

/** @param title the title from the link's place, which takes precedence over a mere description. */
function linkOf(url: string, fields: Map<string, unknown>, title: string): Omit<FoundLink, 'line'> {
  const texts = [...NAME_KEYS.map((key) => fields.get(key)), title, ...TITLE_KEYS.map((key) => fields.get(key))]
  const note = texts.map((text) => asText(text).trim()).find((text) => text !== '' && isTitle(text)) ?? ''
  const tags = tagsIn(TAG_KEYS.map((key) => fields.get(key)).find((value) => value !== undefined && value !== null))
  return { url, text: url, ...noteOf(note), ...(tags.length === 0 ? {} : { tags }) }
}

function tagsIn(value: unknown): string[] {
  if (typeof value === 'string')
    return /[,;|"]/.test(value) ? readTags(value) : value.split(/\s+/).filter((tag) => tag !== '')
  if (!Array.isArray(value)) return []
  return value.map((tag) => asText(isObject(tag) ? (tag.name ?? tag.title) : tag).trim()).filter((tag) => tag !== '')
}
