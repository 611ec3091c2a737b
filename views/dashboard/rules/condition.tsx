/** @jsxImportSource @kitajs/html */

import {
  type DraftCondition,
  type DraftGroup,
  type DraftLeaf,
  firstLine,
  GROUP_OPERATORS,
  heightOf,
  type LeafOperator,
  type SubjectOf,
  TEXT_OPERATORS,
} from '../../../src/dashboard/rules/draft.ts'
import { ROLES } from '../../../src/identity/roles.ts'
import type { DEVICES } from '../../../src/policies/agents.ts'
import { CONDITION_BOUNDS, DAYS } from '../../../src/policies/conditions.ts'
import { leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type Building, Do, field, idOf, State } from './parts.tsx'
import { DAY_NAMES } from './words.ts'

interface ConditionProps<Of extends DraftCondition = DraftCondition> {
  condition: Of
  path: string
  /** As people count: `1.2`; `''` for the outermost. */
  number: string
  /** How many groups it stands in. */
  depth: number
  building: Building
}

/** A condition as fields: its own, or those of all in its group. */
export function ConditionFields({ condition, ...place }: ConditionProps): JSX.Element {
  return 'of' in condition ? <Group condition={condition} {...place} /> : <Leaf condition={condition} {...place} />
}

const GROUPS = { and: 'All of these', or: 'Any of these', not: 'None of these' } as const

function Group({ condition, path, number, depth, building }: ConditionProps<DraftGroup>): JSX.Element {
  const { op, of } = condition
  const isRoot = depth === 0
  // To `none of these` a second one is added by a group of their own.
  const room = CONDITION_BOUNDS.depth - depth - 1
  const mayAdd = op !== 'not' || room > 0 || of.length === 0
  return (
    <fieldset class="group">
      <legend class="said" safe>
        {isRoot ? 'Conditions' : `Group ${number}`}
      </legend>
      <div class="group-head">
        <State place={path} findings={building.findings} />
        <select aria-label="How these go together" {...field(`${path}.op`, path, building)} data-refresh="">
          {GROUP_OPERATORS.map((known) => (
            <option value={known} selected={known === op}>
              {GROUPS[known]}
            </option>
          ))}
        </select>
        <span class="tools">
          {depth + heightOf(condition) < CONDITION_BOUNDS.depth && !isRoot ? (
            <Do action={`if.nest ${path}`} label={`Put group ${number} into a group`} icon="nest" />
          ) : (
            ''
          )}
          {!isRoot || of.length === 1 ? (
            <Do action={`if.lift ${path}`} label={`Take the group ${number} away, keep what is in it`} icon="unnest" />
          ) : (
            ''
          )}
          {isRoot ? '' : <Do action={`if.remove ${path}`} label={`Remove group ${number}`} icon="trash" />}
        </span>
      </div>
      <ol class="parts">
        {
          of.map((part, index) => (
            <li>
              <ConditionFields
                condition={part}
                path={`${path}.of.${index}`}
                number={number === '' ? `${index + 1}` : `${number}.${index + 1}`}
                depth={depth + 1}
                building={building}
              />
            </li>
          )) as 'safe'[]
        }
      </ol>
      <Adds path={path} building={building} mayAdd={mayAdd} mayGroup={room > (op === 'not' ? 1 : 0)} />
    </fieldset>
  )
}

interface AddsProps {
  path: string
  building: Building
  mayAdd: boolean
  mayGroup: boolean
}

/** What may be put beside a condition, or into a group. */
export function Adds({ path, building, mayAdd, mayGroup }: AddsProps): JSX.Element {
  const button = (action: string, text: string, focus: string) => (
    <button
      type="submit"
      class="add"
      name="do"
      value={`${action} ${path}`}
      id={idOf(`${path}.${focus}`)}
      autofocus={building.focus === `${path}.${focus}`}
    >
      <Icon name="plus" />
      {text as 'safe'}
    </button>
  )
  return (
    <div class="adds">
      {(mayAdd ? button('if.add', 'Condition', 'add') : '') as 'safe'}
      {(mayGroup ? button('if.group', 'Group', 'group') : '') as 'safe'}
    </div>
  )
}

/** What conditions may ask about, as people call it. */
const SUBJECTS: Record<string, Partial<Record<Exclude<SubjectOf, ''>, string>>> = {
  Person: { signedIn: 'Signed in', emailDomain: 'E-mail domain', orgRole: 'Organisation role' },
  Browser: { language: 'Language', device: 'Device', os: 'System', browser: 'Browser', country: 'Country' },
  Link: { query: 'Value in the link', referrerDomain: 'Coming from' },
  Time: { now: 'Date and time', timeWindow: 'Days and hours' },
}

function Leaf({ condition, path, number, depth, building }: ConditionProps<DraftLeaf>): JSX.Element {
  const { subject, was } = condition
  const label = number === '' ? 'Condition' : `Condition ${number}`
  return (
    <fieldset class="condition">
      <legend class="said">{label as 'safe'}</legend>
      <State place={path} findings={building.findings} />
      <div class="controls">
        <select aria-label="Asks about" {...field(`${path}.subject`, path, building)} data-refresh="">
          {subject === '' ? <option value="">Choose…</option> : ''}
          {
            Object.entries(SUBJECTS).map(([group, subjects]) => (
              <optgroup label={group}>
                {Object.entries(subjects).map(([known, name]) => (
                  <option value={known} selected={known === subject} safe>
                    {name}
                  </option>
                ))}
              </optgroup>
            )) as 'safe'[]
          }
        </select>
        <Operands condition={condition} path={path} building={building} />
        {was === null ? '' : <input type="hidden" name={`${path}.was`} value={attribute(JSON.stringify(was))} />}
      </div>
      <span class="tools">
        {depth < CONDITION_BOUNDS.depth && depth > 0 ? (
          <Do action={`if.nest ${path}`} label={`Put ${label.toLowerCase()} into a group`} icon="nest" />
        ) : (
          ''
        )}
        {depth > 0 || subject !== '' ? (
          <Do action={`if.remove ${path}`} label={`Remove ${label.toLowerCase()}`} icon="trash" />
        ) : (
          ''
        )}
      </span>
    </fieldset>
  )
}

interface OperandProps {
  condition: DraftLeaf
  path: string
  building: Building
}

function Operands(props: OperandProps): JSX.Element {
  const { subject } = props.condition
  if (subject === '' || subject === 'signedIn') return ''
  if (subject === 'timeWindow') return <WindowFields {...props} />
  if (subject === 'now') return <InstantFields {...props} />
  return <TextFields {...props} />
}

const OPERATORS: Record<LeafOperator, string> = {
  equals: 'is',
  in: 'is one of',
  startsWith: 'begins with',
  endsWith: 'ends with',
  contains: 'contains',
  exists: 'is known',
  before: 'before',
  after: 'from',
}

const PLACEHOLDERS: Partial<Record<SubjectOf, string>> = {
  emailDomain: 'acme.com',
  language: 'de',
  os: 'ios',
  browser: 'safari',
  country: 'DE',
  referrerDomain: 'news.example',
  query: 'newsletter',
}

function TextFields({ condition, path, building }: OperandProps): JSX.Element {
  const { subject, name, op, value } = condition
  return (
    <>
      {subject === 'query' ? (
        <input
          class="short"
          aria-label="Its name in the link"
          placeholder="utm_source"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          value={attribute(name)}
          {...field(`${path}.name`, path, building)}
        />
      ) : (
        ''
      )}
      <Operator known={TEXT_OPERATORS} op={op} subject={subject} path={path} building={building} />
      {op === 'exists' ? (
        // Kept for when it is asked again.
        <input type="hidden" name={`${path}.value`} value={attribute(value)} />
      ) : op === 'in' ? (
        <Values value={value} subject={subject} path={path} building={building} />
      ) : (
        <Value value={firstLine(value)} op={op} subject={subject} path={path} building={building} />
      )}
    </>
  )
}

interface OperatorProps {
  known: readonly LeafOperator[]
  op: LeafOperator
  subject: SubjectOf
  path: string
  building: Building
}

function Operator({ known, op, subject, path, building }: OperatorProps): JSX.Element {
  return (
    <select class="operator" aria-label="How" {...field(`${path}.op`, path, building)} data-refresh="">
      {known.map((one) => (
        <option value={one} selected={one === op} safe>
          {one === 'exists' && subject === 'query' ? 'is in the link' : OPERATORS[one]}
        </option>
      ))}
    </select>
  )
}

type ValueProps = { value: string; subject: SubjectOf; path: string; building: Building }

function Values({ value, subject, path, building }: ValueProps): JSX.Element {
  const lines = value.split('\n').length
  return (
    <textarea
      aria-label="Values, one a line"
      rows={String(Math.min(Math.max(lines, 2), 8))}
      placeholder={`One a line\n${PLACEHOLDERS[subject] ?? ''}`}
      autocapitalize="off"
      spellcheck="false"
      {...field(`${path}.value`, path, building)}
      safe
    >
      {leading(value)}
    </textarea>
  )
}

/** The facts that are one of a few. */
const CHOICES: Partial<Record<SubjectOf, Record<string, string>>> = {
  device: { mobile: 'phone', tablet: 'tablet', desktop: 'computer' } satisfies Record<(typeof DEVICES)[number], string>,
  orgRole: Object.fromEntries(ROLES.map((role) => [role, role])),
}

function Value({ value, op, subject, path, building }: ValueProps & { op: LeafOperator }): JSX.Element {
  const choices = op === 'equals' ? CHOICES[subject] : undefined
  const control = field(`${path}.value`, path, building)
  if (choices === undefined) {
    return (
      <input
        aria-label="Value"
        placeholder={PLACEHOLDERS[subject] ?? ''}
        list={subject === 'os' || subject === 'browser' ? `known-${subject}` : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        value={attribute(value)}
        {...control}
      />
    )
  }
  return (
    <select aria-label="Value" {...control}>
      {Object.hasOwn(choices, value) ? (
        ''
      ) : (
        <option value={attribute(value)} selected safe>
          {value === '' ? 'Choose…' : value}
        </option>
      )}
      {Object.entries(choices).map(([known, name]) => (
        <option value={known} selected={known === value} safe>
          {name}
        </option>
      ))}
    </select>
  )
}

function InstantFields({ condition, path, building }: OperandProps): JSX.Element {
  const { subject, op, value, zone } = condition
  const known = ['before', 'after'] as const
  return (
    <>
      <Operator known={known} op={op === 'after' ? op : 'before'} subject={subject} path={path} building={building} />
      <input
        type="datetime-local"
        class="when"
        aria-label="Date and time"
        step={value.length > 16 ? 'any' : undefined}
        value={attribute(value)}
        {...field(`${path}.value`, path, building)}
      />
      <Zone zone={zone} label="Time zone or offset" path={path} building={building} />
    </>
  )
}

function Zone({ zone, label, path, building }: { zone: string; label: string; path: string; building: Building }) {
  return (
    <input
      class="zone"
      aria-label={label}
      placeholder="Europe/Berlin"
      list="zones"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      value={attribute(zone)}
      {...field(`${path}.zone`, path, building)}
    />
  )
}

function WindowFields({ condition, path, building }: OperandProps): JSX.Element {
  const { days, from, to, zone } = condition
  const at = (name: string) => field(`${path}.${name}`, path, building)
  return (
    <>
      <span class="days">
        {
          DAYS.map((day) => (
            <label class="day" title={DAY_NAMES[day]}>
              <input type="checkbox" value="on" checked={days.includes(day)} {...at(`days.${day}`)} />
              <span safe>{DAY_NAMES[day].slice(0, 2)}</span>
              <span class="said" safe>
                {DAY_NAMES[day].slice(2)}
              </span>
            </label>
          )) as 'safe'[]
        }
      </span>
      <span class="span">
        <input type="time" aria-label="From" value={attribute(from)} {...at('from')} />
        <span aria-hidden="true">to</span>
        <input type="time" aria-label="To" value={attribute(to === '24:00' ? '00:00' : to)} {...at('to')} />
      </span>
      <Zone zone={zone} label="Time zone" path={path} building={building} />
    </>
  )
}
