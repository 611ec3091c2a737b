import { createInterface } from 'node:readline/promises'
import { launcherLinkIn, valuesOf } from '../core/launcher-link.ts'
import type { Client } from '../sdk/openall.ts'
import { slugIn } from './command.ts'
import { UsageError } from './exit.ts'
import { note, oneLine } from './output.ts'

/** The launcher and the values that a command line requests. */
export interface Asked {
  slug: string
  values: Record<string, string>
  /** Names of the variables with values from words. */
  named: readonly string[]
  /** The value for the first variable, whose name only the service knows; null for none. */
  first: { value: string; isWord: boolean } | null
}

const ASSIGNMENT = /^([a-z][a-z0-9_]*)=(.*)$/s

/**
 * Reads a slug or a launcher’s link, and words: `4711` is for the first variable, `region=eu` for `region`. Words override values
 * in the link.
 * @throws UsageError.
 */
export function askedIn(text: string, words: readonly string[], server: string): Asked {
  const slug = slugIn(text, server)
  const { value, query } = launcherLinkIn(text, true) ?? { value: null, query: new URLSearchParams() }
  const values = valuesOf(query)
  const [lone, other] = words.filter((word) => !ASSIGNMENT.test(word))
  if (other !== undefined) throw new UsageError(`unexpected argument "${other}": write it as name=value`)
  const named: string[] = []
  for (const word of words) {
    const [, name, given = ''] = ASSIGNMENT.exec(word) ?? []
    if (name === undefined) continue
    if (named.includes(name)) throw givenTwice(name)
    named.push(name)
    values[name] = given
  }
  const first = lone ?? value
  return { slug, values, named, first: first === null ? null : { value: first, isWord: lone !== undefined } }
}

function givenTwice(name: string): UsageError {
  return new UsageError(`${name} is given twice: give it once`)
}

type Tabs = Awaited<ReturnType<Client['getTabs']>>

/**
 * The tabs of a launcher with all values filled in; at a terminal, missing values are asked for.
 * @throws UsageError for values that remain missing or are refused; OpenallError.
 */
export async function filledTabs({ slug, named, first, ...asked }: Asked, client: Client): Promise<Tabs> {
  const values = { ...asked.values }
  let seen = await client.getTabs({ slug, values })
  const names = seen.variables.map(({ name }) => name)
  const unknown = named.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`${slug} has no variable ${unknown}${instead(names)}`)
  if (first !== null) {
    const [name] = names
    if (name === undefined) throw new UsageError(`${slug} has no variables: leave out "${first.value}"`)
    if (first.isWord && named.includes(name)) throw givenTwice(name)
    if (first.isWord || !values[name]?.trim()) {
      values[name] = first.value
      seen = await client.getTabs({ slug, values })
    }
  }
  const answered = new Set<string>()
  while (seen.missing.length > 0 || seen.invalid.length > 0) {
    const wrong = seen.invalid.filter(({ name }) => !answered.has(name))
    if (wrong.length > 0) throw new UsageError(wrong.map(({ name, message }) => `${name}: ${message}`).join(' '))
    if (process.stdin.isTTY !== true) throw new UsageError(needing(seen))
    for (const variable of seen.variables) {
      const { name } = variable
      const refused = seen.invalid.find((one) => one.name === name)
      if (refused === undefined && !seen.missing.includes(name)) continue
      if (refused !== undefined) note(oneLine(refused.message))
      values[name] = await answerTo(`${oneLine(variable.label)}${hintOf(variable)}: `)
      answered.add(name)
    }
    seen = await client.getTabs({ slug, values })
  }
  return seen
}

function instead(names: readonly string[]): string {
  return names.length === 0 ? ', nor any other' : `: it has ${names.join(', ')}`
}

/** Names the missing values, and how to give them. */
function needing({ slug, variables, missing }: Tabs): string {
  const needed = variables.filter(({ name }) => missing.includes(name))
  const said = needed.map(({ name, label, ...rest }) => `${name}${label === name ? '' : `: ${label}`}${hintOf(rest)}`)
  const words = needed.map(({ name }) => `${name}=…`).join(' ')
  return `${slug} needs ${said.join('; ')}. To give it: openall open ${slug} ${words}`
}

function hintOf({ example, options }: Pick<Tabs['variables'][number], 'example' | 'options'>): string {
  if (options !== undefined) return ` (${oneLine(options.join(', '))})`
  return example === undefined ? '' : ` (such as ${oneLine(example)})`
}

/** The answer to a question at the terminal. @throws UsageError if there is none. */
async function answerTo(question: string): Promise<string> {
  const questions = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<never>((_, reject) => {
    questions.once('close', () => reject(new UsageError('no value was given')))
  })
  try {
    return await Promise.race([questions.question(question), closed])
  } finally {
    questions.close()
  }
}
