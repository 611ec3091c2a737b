/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { DraftTab } from '../../../src/dashboard/rules/draft.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { Findings } from './notes.ts'

/** Props of every part of the rule builder. */
export interface Building {
  findings: Findings
  /** The path of the field or button to focus. */
  focus: string
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
}

/** The element that stands for a path of the form. */
export function idOf(path: string): string {
  return path.replaceAll('.', '-')
}

/** Attributes of the field at a path: id, name, focus, and the link to its notes. */
export function field(path: string, place: string, { focus, findings }: Building) {
  const isAbout = (name: string | undefined) => name === undefined || !isTab(place) || path === `${place}.${name}`
  const isWrong = findings.notes.get(place)?.some(({ kind, field }) => kind === 'error' && isAbout(field)) ?? false
  return {
    id: idOf(path),
    name: path,
    autofocus: path === focus,
    'aria-describedby': `${idOf(place)}-state`,
    ...(isWrong ? { 'aria-invalid': 'true' as const } : {}),
  }
}

/** A tab's link and note share one place, and are told apart; a condition is wrong as a whole. */
function isTab(place: string): boolean {
  return /\.tabs\.\d+$/.test(place)
}

interface DoProps {
  /** What it does, and where: the value that the form is sent with. */
  action: string
  label: string
  icon: IconName
  /** The path by which it is given the focus. */
  path?: string
  building?: Building
  disabled?: boolean
}

/** A button that sends the form to be changed: a picture with its name. */
export function Do({ action, label, icon, path = action, building, disabled = false }: DoProps): JSX.Element {
  return (
    <button
      type="submit"
      class="do"
      name="do"
      value={attribute(action)}
      id={idOf(path.replaceAll(' ', '.'))}
      title={attribute(label)}
      aria-label={attribute(label)}
      autofocus={building?.focus === path}
      disabled={disabled}
    >
      <Icon name={icon} />
    </button>
  )
}

/** The notes of one path of the form, updated while somebody types. */
export function State({ place, findings }: { place: string; findings: Findings }): JSX.Element {
  return (
    <div class="state" id={`${idOf(place)}-state`}>
      <StateContent place={place} findings={findings} />
    </div>
  )
}

/** The same without its place. */
export function StateContent({
  place,
  findings: { notes, marks },
}: {
  place: string
  findings: Findings
}): JSX.Element {
  const matched = marks.get(place)
  return (
    <>
      {matched === undefined ? '' : <Mark matched={matched} />}
      {
        (notes.get(place) ?? []).map(({ kind, text }) => (
          <p class={`note ${kind}`}>
            {kind === 'todo' ? '' : <Icon name="alert" />}
            <span dir="auto" safe>
              {text}
            </span>
          </p>
        )) as 'safe'[]
      }
    </>
  )
}

/** ✓ or ✗, with a word for screen readers. */
export function Mark({ matched }: { matched: boolean }): JSX.Element {
  return (
    <span class={['mark', matched ? 'yes' : 'no']} title={matched ? 'Matches' : 'Doesn’t match'}>
      <Icon name={matched ? 'check' : 'cross'} />
      <span class="visually-hidden">{matched ? 'Holds:' : 'Does not hold:'}</span>
    </span>
  )
}

/** A part of the answer that htmx puts in a place of its own. */
export function Part({ id, children }: PropsWithChildren<{ id: string }>): JSX.Element {
  return (
    <tag of="hx-partial" id={id}>
      {children as 'safe'}
    </tag>
  )
}
