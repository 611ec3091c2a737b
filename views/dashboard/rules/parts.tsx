/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { Variable } from '../../../db/schema.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { RULE_DAYS } from '../../../src/insights/rule-views.ts'
import type { DraftTab } from '../../../src/policies/draft/draft.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { rate } from '../../parts/charts.tsx'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'

export interface BuilderProps {
  findings: Findings
  /** The path of the field or button to focus. */
  focus: string
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  /** The bundle's variables. */
  variables: readonly Variable[]
  /** Missing if nothing is counted. */
  shares?: RuleShares
  /** The name of the organisation that owns the bundle; missing for none. */
  organization?: string
  /** Missing if no default tabs are shown. */
  icons?: SiteIcons
}

/** The id of the element for a path of the form. */
export function idOf(path: string): string {
  return path.replaceAll('.', '-')
}

/** Attributes of the field at a path: id, name, focus, and the link to its notes. */
export function field(path: string, place: string, { focus, findings }: BuilderProps) {
  const isAbout = (about: string | undefined) => about === undefined || `${path}.`.startsWith(`${place}.${about}.`)
  const isWrong = findings.notes.get(place)?.some(({ kind, field }) => kind === 'error' && isAbout(field)) ?? false
  return {
    id: idOf(path),
    name: path,
    autofocus: path === focus,
    'aria-describedby': `${idOf(place)}-state`,
    ...(isWrong ? { 'aria-invalid': 'true' as const } : {}),
  }
}

interface ActionButtonProps {
  /** The button's value: an edit and its path, such as `rule.up 2`. */
  action: string
  label: string
  icon: IconName
  /** The path for focusing it. */
  path?: string
  builder?: BuilderProps
  disabled?: boolean
}

/** A button that submits an edit of the form: an icon with its name. */
export function ActionButton({
  action,
  label,
  icon,
  path = action,
  builder,
  disabled = false,
}: ActionButtonProps): JSX.Element {
  return (
    <button
      type="submit"
      class="quiet do"
      name="do"
      value={attribute(action)}
      id={idOf(path.replaceAll(' ', '.'))}
      title={attribute(label)}
      aria-label={attribute(label)}
      autofocus={builder?.focus === path}
      disabled={disabled}
    >
      <Icon name={icon} />
    </button>
  )
}

/** The notes for a path of the form, updated while typing. */
export function Notes({ place, findings }: { place: string; findings: Findings }): JSX.Element {
  return (
    <div class="state" id={`${idOf(place)}-state`}>
      <NotesContent place={place} findings={findings} />
    </div>
  )
}

/** The same without the surrounding element. */
export function NotesContent({
  place,
  findings: { notes, marks },
}: {
  place: string
  findings: Findings
}): JSX.Element {
  const matched = marks.get(place)
  return (
    <>
      {matched !== undefined && <Mark matched={matched} />}
      <Each
        of={notes.get(place) ?? []}
        show={({ kind, text, repair, field: about }) => (
          <p class={`note ${kind}`} data-about={about === undefined ? undefined : idOf(`${place}.${about}`)}>
            {kind !== 'todo' && <Icon name="alert" />}
            <span dir="auto" safe>
              {text}
            </span>
            {repair !== undefined && (
              <button type="submit" class="small" name="do" value={attribute(repair.action)} safe>
                {repair.label}
              </button>
            )}
          </p>
        )}
      />
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

/** A part of a response that htmx swaps out of band, into the element with this id. */
export function OutOfBand({ id, children }: PropsWithChildren<{ id: string }>): JSX.Element {
  return (
    <tag of="hx-partial" id={id}>
      {children}
    </tag>
  )
}

/**
 * The share of recent views for each saved rule, from 0 to 1, by its id; `''` is for views without a match. Empty without views.
 */
export type RuleShares = ReadonlyMap<string, number>

/** A rule's share of recent views; nothing if it is unknown. */
export function ShareOfViews({ share }: { share: number | undefined }): JSX.Element {
  if (share === undefined) return ''
  const isUsed = share > 0
  return (
    <span class={isUsed ? 'hint' : 'never'} title={`In the last ${RULE_DAYS} days`}>
      {isUsed ? `${rate(share)} of views` : `Nobody in ${RULE_DAYS} days`}
    </span>
  )
}
