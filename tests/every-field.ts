import type { Content } from '../db/schema.ts'
import {
  CONTENT,
  each,
  eachScalar,
  NAMES,
  pick,
  SCALAR_NAMES,
  type ScalarName,
} from '../src/bundles/content/content.ts'
import { LINK_NAMES, type LinkName, linkField, RULE_NAMES } from '../src/bundles/links/link-fields.ts'
import type { Visitor } from './people.ts'

// A bundle with every field away from its default. It is made from the tables, so that a new field is in it by itself.

/** The content of a bundle, in which rules have no ids. */
export type Whole = Record<keyof Content, unknown>

function scalarOf(name: ScalarName, index: number): unknown {
  const field = CONTENT[name]
  switch (field.kind) {
    case 'text':
      return field.lines === 'many' ? `The ${name}\nof two lines` : `The ${name}`
    case 'time':
      // The first has been, so that the bundle is open; the others are to come.
      return new Date(Date.UTC(name === 'opensAt' ? 2020 : 2100 + index, 1, 2, 3, 4, 5, 678)).toISOString()
    case 'choice':
      return field.options[1]
    case 'switch':
      return !field.isOn
  }
}

function linkValueOf(name: LinkName, link: string): unknown {
  const field = linkField(name)
  switch (field.kind) {
    case 'text':
      return field.lines === 'many' ? `The ${name} of ${link}\nof two lines` : `The ${name} of ${link}`
    case 'tags':
      return [`one of ${link}`, `two, with "quotes" of ${link}`]
    case 'choice':
      return field.options[1]
    case 'switch':
      return !field.isOnByDefault
  }
}

const linkOf = (link: string) => each(LINK_NAMES, (name) => linkValueOf(name, link))

/** Every field is away from its default, those of links too. */
export const WHOLE: Whole = {
  urls: ['https://one.example/a?b=c&d', 'https://two.example/', 'https://three.example/'],
  // The second has none of its own.
  urlMetadata: [linkOf('one'), {}, linkOf('three')],
  variables: [
    { name: 'first_one', label: 'The first', example: 'one', default: 'two', options: ['one', 'two'] },
    { name: 'second' },
  ],
  ...eachScalar((name) => scalarOf(name, SCALAR_NAMES.indexOf(name))),
  resolutionPolicy: {
    version: 1,
    rules: [
      {
        name: 'Some',
        showBadge: true,
        when: { op: 'exists', field: 'query.some' },
        tabs: [{ url: 'https://ruled.example/', ...pick(RULE_NAMES, linkOf('ruled')) }],
      },
    ],
  },
}

/** The content of a bundle, for comparison with `WHOLE`. */
export async function contentOf(by: Visitor, slug: string): Promise<Whole> {
  const { status, body } = await by.api<Whole>('GET', `/api/links/${slug}`)
  if (status !== 200) throw new Error(`a bundle was not read: ${status} ${JSON.stringify(body)}`)
  const { version, rules } = body.resolutionPolicy as { version: number; rules: Record<string, unknown>[] }
  return { ...pick(NAMES, body), resolutionPolicy: { version, rules: rules.map(({ id: _, ...rule }) => rule) } }
}
