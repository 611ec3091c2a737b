import { eachText, TEXT_NAMES, type TextName } from '../bundles/content.ts'
import type { Bundle } from './bundles.ts'
import { readJson } from './input.ts'

const LETTERS: Partial<Record<TextName, string>> = { title: 't', description: 'd' }

/** A flag for each text of a bundle. */
export function textFlags(described: (name: TextName) => string) {
  return eachText((name) => {
    const alias = LETTERS[name]
    return { type: 'string' as const, description: described(name), ...(alias === undefined ? {} : { alias }) }
  })
}

/** Flags that replace parts of a bundle. */
export const CHANGES = {
  ...textFlags((name) => `New ${name}; empty to remove it`),
  list: {
    type: 'string',
    valueHint: 'path',
    description: 'A list or bookmarks file that replaces all URLs; - is standard input',
  },
  policy: { type: 'string', valueHint: 'path', description: 'A JSON file with the rules, or none to remove them' },
} as const

/** The texts given by flags; null for an empty one. */
export function textsIn(args: Partial<Record<TextName, string | undefined>>): Partial<Record<TextName, string | null>> {
  const given = TEXT_NAMES.flatMap((name) => {
    const text = args[name]
    return text === undefined ? [] : [[name, text || null] as const]
  })
  return Object.fromEntries(given)
}

/** The policy in the file of `--policy`, validated only by the service. @throws UsageError. */
export async function readPolicy(policy: string): Promise<Bundle['resolutionPolicy']> {
  return policy === 'none' ? null : ((await readJson(policy)) as Bundle['resolutionPolicy'])
}
