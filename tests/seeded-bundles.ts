import { prng } from './prng.ts'

// Bundles with variables and rules, for tests of whether they are filled alike by every door.

const NAMES = ['x', 'y', 'constructor', 'to_string']
const VALUES = [
  '4711',
  'EU-1',
  'a b',
  'a/b&c=d',
  '漢',
  "it's",
  '{x}',
  '$&',
  '<i>"',
  '..',
  'a\nb',
  '',
  'x'.repeat(201),
  '%2e',
  '%',
]
const TAILS = ['c/{x}', '?q={x}&r={y}', '#/{y}', '{x}/{constructor}', 'plain', '{z}', '?s={to_string}', '.{x}']

export interface Seeded {
  urls: string[]
  variables: { name: string; default?: string; options?: string[] }[]
  title: string
  rules: { when: { op: string; field: string; value: string }; tabs: { url: string }[] }[]
  sent: [string, string][]
}
/** The bundle of a number, the same in each run, and what somebody fills in. */
export function seeded(seed: number): Seeded {
  const random = prng(seed)
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
  const some = <T>(most: number, make: () => T) => Array.from({ length: Math.ceil(random() * most) }, make)
  const variables = NAMES.slice(0, Math.ceil(random() * NAMES.length)).map((name) => {
    const options = random() < 0.2 ? ['4711', 'EU-1', 'a b'] : undefined
    const fallback = random() < 0.3 ? pick(['4711', 'a b']) : undefined
    return { name, ...(options && { options }), ...(fallback && { default: fallback }) }
  })
  const links = () => [...new Set(some(4, () => `https://${pick(['a', 'b'])}.example/${pick(TAILS)}`))]
  const when = () => ({
    op: pick(['startsWith', 'equals']),
    field: `query.${pick(variables).name}`,
    value: pick(['EU-', '4711', 'a b']),
  })
  const rules = random() < 0.5 ? some(3, () => ({ when: when(), tabs: links().map((url) => ({ url })) })) : []
  const sent = variables.flatMap(({ name }) => (random() < 0.85 ? [[name, pick(VALUES)] as [string, string]] : []))
  return { urls: links(), variables, title: 'Of {x}', rules, sent }
}

/** What is sent to create it. */
export function fieldsOf({ urls, variables, title, rules }: Seeded): Record<string, unknown> {
  const policy = { version: 1, rules: rules.map((rule, at) => ({ name: `rule ${at}`, ...rule })) }
  return { urls, variables, title, ...(rules.length === 0 ? {} : { resolutionPolicy: policy }) }
}
