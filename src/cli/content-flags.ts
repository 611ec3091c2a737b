import { CONTENT, VALUE_NAMES, type ValueName } from '../bundles/content.ts'
import type { Bundle } from './bundles.ts'
import { readJson } from './input.ts'

type Flag = (typeof CONTENT)[ValueName]['flag']

const LETTERS: Partial<Record<Flag, string>> = { title: 't', description: 'd' }

/** A flag for each text and time of a bundle. */
export function valueFlags(described: (name: ValueName) => string) {
  const flags = VALUE_NAMES.map((name) => {
    const { kind, flag } = CONTENT[name]
    const alias = LETTERS[flag]
    const hint = kind === 'time' ? { valueHint: 'time' } : {}
    return [flag, { type: 'string', description: described(name), ...hint, ...(alias === undefined ? {} : { alias }) }]
  })
  return Object.fromEntries(flags) as Record<
    Flag,
    { type: 'string'; description: string; valueHint?: string; alias?: string }
  >
}

const CHANGED: Record<ValueName, string> = {
  title: 'New title; empty to remove it',
  description: 'New description; empty to remove it',
  opensAt: 'When it opens, such as 2026-12-01T09:00; empty for at once',
  closesAt: 'When it closes; empty for never',
  closedNote: 'New note after closing; empty to remove it',
}

/** Flags that replace parts of a bundle. */
export const CHANGES = {
  ...valueFlags((name) => CHANGED[name]),
  list: {
    type: 'string',
    valueHint: 'path',
    description: 'A list or bookmarks file that replaces all URLs; - is standard input',
  },
  policy: { type: 'string', valueHint: 'path', description: 'A JSON file with the rules, or none to remove them' },
} as const

/** Arguments with the flags of texts and times. */
export type ValueFlags = Partial<Record<Flag, string | undefined>>

/** The texts and times given by flags; null for an empty one. */
export function valuesIn(args: ValueFlags): Partial<Record<ValueName, string | null>> {
  const given = VALUE_NAMES.flatMap((name) => {
    const { kind, flag } = CONTENT[name]
    const text = args[flag]
    if (text === undefined) return []
    return [[name, (kind === 'time' ? instantOf(text) : text) || null] as const]
  })
  return Object.fromEntries(given)
}

/** A time without an offset is in the time zone of this computer; the service validates the rest. */
function instantOf(text: string): string {
  const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(text)
  const at = isLocal ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

/** The policy in the file of `--policy`, validated only by the service. @throws UsageError. */
export async function readPolicy(policy: string): Promise<Bundle['resolutionPolicy']> {
  return policy === 'none' ? null : ((await readJson(policy)) as Bundle['resolutionPolicy'])
}
