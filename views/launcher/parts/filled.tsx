/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { type Filling, fillLink, namesIn, piecesOf } from '../../../src/core/template.js'
import { destination } from '../../parts/destination.ts'
import { Emphasis } from '../../parts/emphasis.tsx'
import { attribute, Each } from '../../parts/layout.tsx'

export interface FilledProps {
  variables: readonly Pick<Variable, 'name' | 'label'>[]
  filling: Pick<Filling, 'values'>
}

/** Link attributes that open a URL in its own tab; none while a value is missing, because the link leads nowhere yet. */
export function leadTo(url: string, { variables, filling: { values } }: FilledProps): JSX.HtmlAnchorTag {
  const names = variables.map(({ name }) => name)
  if (namesIn(url, names).some((name) => values[name] === undefined)) return {}
  return { href: attribute(destination(fillLink(url, values)).href), target: '_blank', rel: 'noopener noreferrer' }
}

/** The same for a text with emphasis; values add none. */
export function Stressed({ text, ...fill }: FilledProps & { text: string }): JSX.Element {
  return <Emphasis text={text} show={(text) => <Filled text={text} {...fill} />} />
}

interface TextProps extends FilledProps {
  text: string
  /** Whether placeholders are read out as they are, as in an address. */
  isAddress?: true
}

/**
 * A text with its values, or visible blanks where values are missing. Both name their variable, so that the script can fill them
 * in as somebody types.
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
