import type { Content } from '../../db/schema.ts'
import { CONTENT, SCALAR_NAMES, type ScalarName, SWITCH_TEXTS } from '../bundles/content/content.ts'
import type { Bundle } from './document.ts'
import { UsageError } from './exit.ts'
import { readJson } from './input.ts'

type Flag = (typeof CONTENT)[ScalarName]['flag']

const LETTERS: Partial<Record<Flag, string>> = { title: 't', description: 'd' }

/** A flag for each field of a bundle with a single value. */
export function valueFlags(described: (name: ScalarName) => string) {
  const flags = SCALAR_NAMES.map((name) => {
    const { kind, flag } = CONTENT[name]
    const alias = LETTERS[flag]
    const hint = kind === 'time' ? { valueHint: 'time' } : {}
    return [flag, { description: described(name), ...hint, ...(alias === undefined ? {} : { alias }) }]
  })
  return Object.fromEntries(flags) as Record<Flag, { description: string; valueHint?: string; alias?: string }>
}

/** Help texts of flags that also say which value removes the field. */
const CHANGED: Partial<Record<ScalarName, string>> = {
  title: 'New title; empty to remove it',
  description: 'New description; empty to remove it',
  opensAt: 'When it opens, such as 2026-12-01T09:00; empty for at once',
  closesAt: 'When it closes; empty for never',
  closedNote: 'New note after closing; empty to remove it',
}

/** Flags that replace parts of a bundle. */
export const CHANGES = {
  ...valueFlags((name) => CHANGED[name] ?? CONTENT[name].help),
  list: { valueHint: 'path', description: 'A list or bookmarks file that replaces all URLs; - is standard input' },
  policy: { valueHint: 'path', description: 'A JSON file with the rules, or none to remove them' },
} as const

/** Flags for the unversioned fields of a bundle, which only its owner sees. */
export const UNVERSIONED_FLAGS = {
  'external-id': { valueHint: 'id', description: 'Its ID in your own system; empty to remove it' },
  metadata: {
    multiple: true,
    valueHint: 'key=text',
    description: 'A text of your own under a key; without a text, the key is removed',
  },
  alias: {
    multiple: true,
    valueHint: 'slug',
    description: 'Another slug that leads to it; those given replace all that it has, an empty one removes them',
  },
} as const

/**
 * The unversioned fields given by these flags.
 * @param before the bundle's present metadata.
 * @throws UsageError.
 */
export function unversionedIn(
  {
    'external-id': id,
    metadata,
    alias,
  }: { 'external-id': string | undefined; metadata: readonly string[]; alias: readonly string[] },
  before: Record<string, string> | null,
): { externalId?: string | null; metadata?: Record<string, string> | null; aliases?: string[] } {
  const after = new Map(Object.entries(before ?? {}))
  for (const entry of metadata) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(entry) ?? []
    if (key === '') throw new UsageError(`--metadata must be a key, = and a text, such as team=sales, not "${entry}"`)
    if (value === '') after.delete(key)
    else after.set(key, value)
  }
  return {
    ...(id === undefined ? {} : { externalId: id || null }),
    ...(alias.length === 0 ? {} : { aliases: alias.filter((slug) => slug !== '') }),
    ...(metadata.length === 0 ? {} : { metadata: after.size === 0 ? null : Object.fromEntries(after) }),
  }
}

/** Arguments with these flags. */
export type ValueFlags = Partial<Record<Flag, string | undefined>>

/** The values given by flags; null for an empty one. */
export function valuesIn(args: ValueFlags): Partial<Pick<Content, ScalarName>> {
  const given = SCALAR_NAMES.flatMap((name) => {
    const { kind, flag } = CONTENT[name]
    const text = args[flag]
    if (text === undefined) return []
    return [[name, kind === 'switch' ? switchOf(text) : (kind === 'time' ? instantOf(text) : text) || null] as const]
  })
  // The service refuses other words.
  return Object.fromEntries(given) as Partial<Pick<Content, ScalarName>>
}

/** Passes any other word on, for the service to refuse. */
function switchOf(text: string): boolean | string {
  return text === SWITCH_TEXTS.on || (text === SWITCH_TEXTS.off ? false : text)
}

/** Interprets a time without an offset in the time zone of this computer; the service validates the rest. */
function instantOf(text: string): string {
  const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(text)
  const at = isLocal ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

/** The policy from the file of `--policy`; only the service validates it. @throws UsageError. */
export async function readPolicy(policy: string): Promise<Bundle['resolutionPolicy']> {
  return policy === 'none' ? null : ((await readJson(policy)) as Bundle['resolutionPolicy'])
}
