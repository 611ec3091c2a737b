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

/** Flags that put something in place of what a bundle has. */
export const CHANGES = {
  ...textFlags((name) => `Another ${name}; an empty one takes it away`),
  list: {
    type: 'string',
    valueHint: 'path',
    description: 'A list or bookmarks file in place of all destinations; - is standard input',
  },
  policy: { type: 'string', valueHint: 'path', description: 'A JSON file with the rules; none takes them away' },
} as const

/** The texts that such flags give; an empty one is none. */
export function textsIn(args: Partial<Record<TextName, string | undefined>>): Partial<Record<TextName, string | null>> {
  const given = TEXT_NAMES.flatMap((name) => {
    const text = args[name]
    return text === undefined ? [] : [[name, text || null] as const]
  })
  return Object.fromEntries(given)
}

/** The rules that `--policy` gives; what they may hold is for the service to say. @throws UsageError. */
export async function readPolicy(policy: string): Promise<Bundle['resolutionPolicy']> {
  return policy === 'none' ? null : ((await readJson(policy)) as Bundle['resolutionPolicy'])
}
