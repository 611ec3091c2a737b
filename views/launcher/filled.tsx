/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Variable } from '../../db/schema.ts'
import { labelOf } from '../../src/bundles/variables.ts'
import { type Filling, fillLink, namesIn, piecesOf } from '../../src/core/template.js'
import { destination } from '../parts/destination.ts'
import { Each } from '../parts/each.tsx'
import { piecesIn } from '../parts/emphasis.ts'
import { attribute } from '../parts/layout.tsx'

export interface FilledProps {
  variables: readonly Pick<Variable, 'name' | 'label'>[]
  filling: Pick<Filling, 'values'>
}

/** The attributes of a link that opens its URL in a tab of its own; none while a value is missing: it leads nowhere yet. */
export function leadTo(url: string, { variables, filling: { values } }: FilledProps): JSX.HtmlAnchorTag {
  const names = variables.map(({ name }) => name)
  if (namesIn(url, names).some((name) => values[name] === undefined)) return {}
  return { href: attribute(destination(fillLink(url, values)).href), target: '_blank', rel: 'noopener noreferrer' }
}

/** The same of a text that may stress words; its values are text. */
export function Stressed({ text, ...fill }: FilledProps & { text: string }): JSX.Element {
  return (
    <Each
      of={piecesIn(text)}
      show={({ text, as }) => {
        const filled = <Filled text={text} {...fill} />
        if (as === 'plain') return filled
        if (as === 'em') return <em>{filled}</em>
        return <strong>{as === 'both' ? <em>{filled}</em> : filled}</strong>
      }}
    />
  )
}

interface TextProps extends FilledProps {
  text: string
  /** In an address, blanks are read out as they stand. */
  isAddress?: true
}

/**
 * A text with its values, and visible blanks where there are none. Both are marked with their variable, so that the script
 * fills them as somebody types.
 */
export function Filled({ text, variables, filling: { values }, isAddress }: TextProps): JSX.Element {
  const names = variables.map(({ name }) => name)
  return (
    <Each
      of={piecesOf(text, names)}
      show={(piece, at) => {
        if (at % 2 === 0) return escapeHtml(piece)
        const value = values[piece]
        if (value !== undefined) {
          return (
            <bdi class="value" data-variable={piece} safe>
              {value}
            </bdi>
          )
        }
        if (isAddress) {
          return (
            <bdi class="blank" data-variable={piece} safe>
              {`{${piece}}`}
            </bdi>
          )
        }
        const label = labelOf(variables.find(({ name }) => name === piece) ?? { name: piece })
        return (
          <bdi class="blank" data-variable={piece} role="img" aria-label={attribute(label)} safe>
            {`{${piece}}`}
          </bdi>
        )
      }}
    />
  )
}
