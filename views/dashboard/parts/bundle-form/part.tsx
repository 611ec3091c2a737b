/** @jsxImportSource @kitajs/html */

import { createHash } from 'node:crypto'
import type { Children, PropsWithChildren } from '@kitajs/html'
import { contentsToString } from '@kitajs/html'
import type { EditorState } from './bundle-form.ts'

type PartProps = PropsWithChildren<{
  of: 'button' | 'datalist' | 'div' | 'li' | 'p' | 'section'
  id: string
  class?: string
  state: Pick<EditorState, 'step' | 'has'>
  /** Additional attributes. */
  attributes?: Record<string, string>
}>

/**
 * A part of the form, identified by a hash of its content. Answers for a page omit parts that the page has unchanged. After a
 * pause in typing, only changed parts are sent, which keeps the answer small.
 */
export function Part({ of, id, class: name, state, attributes = {}, children }: PartProps): JSX.Element {
  const inside = contentsToString([children as Children])
  const has = createHash('sha256')
    .update(JSON.stringify([name, attributes, inside]))
    .digest('base64url')
    .slice(0, 12)
  const isSame = state.step !== null && state.has.has(has)
  if (isSame) return state.step === 'checked' ? '' : <tag of={of} id={id} data-same="" />
  const part = (
    <tag of={of} class={name} id={id} data-has={has} {...attributes}>
      {inside}
    </tag>
  )
  if (state.step !== 'checked') return part
  return (
    <tag of="hx-partial" hx-target={`#${id}`} hx-swap="outerMorph">
      {part}
    </tag>
  )
}
