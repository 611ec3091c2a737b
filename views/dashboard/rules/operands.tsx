/** @jsxImportSource @kitajs/html */

import type { FieldOperator, InstantOperator } from '../../../db/policy.ts'
import {
  type DraftLeaf,
  kindOf,
  type LeafOperator,
  type SubjectKind,
} from '../../../src/dashboard/rules/draft-conditions.ts'
import { firstLine } from '../../../src/dashboard/rules/lines.ts'
import { textareaContent } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { DAY_NAMES, DAYS } from './days.ts'
import { SUBJECT_WORDS } from './facts.ts'
import { type BuilderProps, field } from './parts.tsx'

interface OperandProps {
  condition: DraftLeaf
  path: string
  builder: BuilderProps
}

/** The fields of a condition, which depend on its subject. */
export function Operands(props: OperandProps): JSX.Element {
  const { subject } = props.condition
  if (subject === '') return ''
  const Fields = CONTROLS[kindOf(subject)]
  return <Fields {...props} />
}

const CONTROLS: { readonly [Kind in SubjectKind]: (props: OperandProps) => JSX.Element } = {
  signedIn: () => '',
  now: InstantFields,
  timeWindow: WindowFields,
  field: TextFields,
}

const FIELD_OPERATORS: Readonly<Record<FieldOperator, string>> = {
  equals: 'is',
  in: 'is one of',
  startsWith: 'begins with',
  endsWith: 'ends with',
  contains: 'contains',
  exists: 'is known',
}
const INSTANT_OPERATORS: Readonly<Record<InstantOperator, string>> = { before: 'before', after: 'from' }

function wordsOf(subject: DraftLeaf['subject']) {
  return subject === '' ? undefined : SUBJECT_WORDS[subject]
}

function TextFields({ condition, path, builder }: OperandProps): JSX.Element {
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
          {...field(`${path}.name`, path, builder)}
        />
      ) : (
        ''
      )}
      <Operator known={FIELD_OPERATORS} op={op} subject={subject} path={path} builder={builder} />
      {op === 'exists' ? (
        // Kept in case the operator is changed back.
        <input type="hidden" name={`${path}.value`} value={attribute(value)} />
      ) : op === 'in' ? (
        <Values value={value} subject={subject} path={path} builder={builder} />
      ) : (
        <Value value={firstLine(value)} op={op} subject={subject} path={path} builder={builder} />
      )}
    </>
  )
}

interface OperatorProps {
  /** What may be picked, with its name. */
  known: Readonly<Record<string, string>>
  op: LeafOperator
  subject: DraftLeaf['subject']
  path: string
  builder: BuilderProps
}

function Operator({ known, op, subject, path, builder }: OperatorProps): JSX.Element {
  return (
    <select class="operator" aria-label="How" {...field(`${path}.op`, path, builder)} data-refresh="">
      {Object.entries(known).map(([one, name]) => (
        <option value={one} selected={one === op} safe>
          {one === 'exists' && subject === 'query' ? 'is in the link' : name}
        </option>
      ))}
    </select>
  )
}

type ValueProps = { value: string; subject: DraftLeaf['subject']; path: string; builder: BuilderProps }

function Values({ value, subject, path, builder }: ValueProps): JSX.Element {
  const lines = value.split('\n').length
  return (
    <textarea
      aria-label="Values, one per line"
      rows={String(Math.min(Math.max(lines, 2), 8))}
      placeholder={`One per line\n${wordsOf(subject)?.placeholder ?? ''}`}
      autocapitalize="off"
      spellcheck="false"
      {...field(`${path}.value`, path, builder)}
      safe
    >
      {textareaContent(value)}
    </textarea>
  )
}

function Value({ value, op, subject, path, builder }: ValueProps & { op: LeafOperator }): JSX.Element {
  const { choices: allChoices, placeholder = '', suggestions } = wordsOf(subject) ?? {}
  const choices = op === 'equals' ? allChoices : undefined
  const control = field(`${path}.value`, path, builder)
  if (choices === undefined) {
    return (
      <input
        aria-label="Value"
        placeholder={placeholder}
        list={suggestions === undefined ? undefined : `known-${subject}`}
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

function InstantFields({ condition, path, builder }: OperandProps): JSX.Element {
  const { subject, op, value, zone } = condition
  return (
    <>
      <Operator
        known={INSTANT_OPERATORS}
        op={op === 'after' ? op : 'before'}
        subject={subject}
        path={path}
        builder={builder}
      />
      <input
        type="datetime-local"
        class="when"
        aria-label="Date and time"
        step={value.length > 16 ? 'any' : undefined}
        value={attribute(value)}
        {...field(`${path}.value`, path, builder)}
      />
      <Zone zone={zone} label="Time zone or offset" path={path} builder={builder} />
    </>
  )
}

function Zone({ zone, label, path, builder }: { zone: string; label: string; path: string; builder: BuilderProps }) {
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
      {...field(`${path}.zone`, path, builder)}
    />
  )
}

function WindowFields({ condition, path, builder }: OperandProps): JSX.Element {
  const { days, from, to, zone } = condition
  const at = (name: string) => field(`${path}.${name}`, path, builder)
  return (
    <>
      <span class="days">
        {
          DAYS.map((day) => (
            <label class="day" title={DAY_NAMES[day]}>
              <input type="checkbox" value="on" checked={days.includes(day)} {...at(`days.${day}`)} />
              <span safe>{DAY_NAMES[day].slice(0, 2)}</span>
              <span class="visually-hidden" safe>
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
      <Zone zone={zone} label="Time zone" path={path} builder={builder} />
    </>
  )
}
