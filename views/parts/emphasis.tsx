/** @jsxImportSource @kitajs/html */

import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { Each } from './layout.tsx'
import { type Piece, piecesIn } from './markdown.ts'

interface EmphasisProps {
  text: string
  /** How each piece is shown; by default as text. */
  show?: (text: string) => JSX.Element
}

/** A text whose words between asterisks are emphasised, as viewers see descriptions and notes. */
export function Emphasis({ text, show = escapeHtml }: EmphasisProps): JSX.Element {
  return <Each of={piecesIn(text)} show={({ text, as }) => <Stress as={as}>{show(text)}</Stress>} />
}

/** A piece of text with its emphasis. */
export function Stress({ as, children }: PropsWithChildren<{ as: Piece['as'] }>): JSX.Element {
  if (as === 'plain') return <>{children}</>
  if (as === 'em') return <em>{children}</em>
  return <strong>{as === 'both' ? <em>{children}</em> : children}</strong>
}
