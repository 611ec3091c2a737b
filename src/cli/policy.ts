import type { Client, Policy, Traced } from '../sdk/openall.ts'
import type { Command } from './command.ts'
import { UsageError } from './exit.ts'
import { readJson } from './input.ts'
import { note, oneLine, print, styled } from './output.ts'
import { row } from './row.ts'

type Viewer = NonNullable<Parameters<Client['previewPolicy']>[0]['viewer']>
type Preview = Awaited<ReturnType<Client['previewPolicy']>>

/** Flags for the viewer's text fields; the service validates their values. */
const FACTS = {
  'email-domain': ['emailDomain', 'The domain of their verified address'],
  'org-role': ['orgRole', 'Their role in the owning organisation: viewer, editor or admin'],
  language: ['language', 'The language their browser asks for: de'],
  client: ['client', 'What reads the link: browser, agent or script'],
  device: ['device', 'desktop, mobile or tablet'],
  os: ['os', 'Their operating system: ios'],
  browser: ['browser', 'Their browser: firefox'],
  country: ['country', 'Their country as two letters: DE'],
  'referrer-domain': ['referrerDomain', 'The host of the page that linked here'],
  now: ['now', 'The time of the view: 2026-12-01T09:00:00Z'],
} as const satisfies Record<string, [Exclude<keyof Viewer, 'signedIn' | 'query'>, string]>

const factFlags = Object.fromEntries(
  Object.entries(FACTS).map(([flag, [, description]]) => [flag, { description } as const]),
) as Record<keyof typeof FACTS, { description: string }>

const test = row('preview_policy', {
  summary: 'Show which rule a viewer would match, and why; saves nothing',
  examples: [
    'openall policy test 4k2mz7qy9p --device mobile --language de',
    'openall policy test 4k2mz7qy9p --email-domain acme.com --query utm_campaign=launch --file rules.json',
  ],
  args: {
    file: {
      alias: 'f',
      valueHint: 'path',
      description: 'Test the rules in this file instead of the saved ones; - is standard input',
    },
    'signed-in': { type: 'boolean', description: 'They are signed in' },
    ...factFlags,
    query: { multiple: true, valueHint: 'name=value', description: 'A query parameter of the link' },
  },
  async input({ args, lists }) {
    const viewer: Record<string, unknown> = {}
    for (const [flag, [fact]] of Object.entries(FACTS)) {
      const [value] = lists[flag] ?? []
      if (value !== undefined) viewer[fact] = value
    }
    if (args['signed-in']) viewer.signedIn = true
    const query = (lists.query ?? []).map(pair)
    if (query.length > 0) viewer.query = Object.fromEntries(query)
    const draft = args.file === undefined ? {} : { resolutionPolicy: (await readJson(args.file)) as Policy }
    return { viewer: viewer as Viewer, ...draft }
  },
  say: printPreview,
})

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--query must be name=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function printPreview({ matchedRuleId, matchedRuleName, tabs, trace, warnings }: Preview): void {
  print(
    matchedRuleId === null
      ? 'No rule matches. They see the default tabs.'
      : `Matches: ${oneLine(matchedRuleName ?? '')}`,
  )
  for (const { url } of tabs) print(`  ${oneLine(url)}`)
  for (const { name, base, omit = [], matched, condition } of trace) {
    print()
    print(`${mark(matched)} ${styled('bold', oneLine(name))}`)
    if (base === 'bundle')
      print(`  follows the bundle${omit.length === 0 ? '' : ` without ${oneLine(omit.join(', '))}`}`)
    printCondition(condition, '  ')
  }
  for (const { path, message } of warnings) note(`warning: ${oneLine(path)} ${oneLine(message)}`)
}

function printCondition(condition: Traced, indent: string): void {
  const { op, matched, ...operands } = condition
  if ('of' in condition) {
    print(`${indent}${mark(matched)} ${op}`)
    for (const inner of condition.of) printCondition(inner, `${indent}  `)
    return
  }
  const texts = Object.values(operands).map((value) => oneLine([value].flat().join(', ')))
  const [field, ...values] = 'field' in operands ? texts : ['', ...texts]
  print(`${indent}${mark(matched)} ${[field, op, ...values].filter((piece) => piece !== '').join(' ')}`)
}

function mark(matched: boolean): string {
  return matched ? styled('green', '✓') : styled('red', '✗')
}

export const policy = { test } satisfies Record<string, Command>
