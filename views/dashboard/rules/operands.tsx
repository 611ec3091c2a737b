/** @jsxImportSource @kitajs/html */

import type { FieldOperator, InstantOperator } from '../../../db/policy.ts'
import {
  type DraftLeaf,
  firstLine,
  kindOf,
  type LeafOperator,
  type TopicKind,
} from '../../../src/policies/draft/conditions.ts'
import { textareaContent } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { TOPIC_WORDS, topicOfVariable, variableOf, variableWords } from '../parts/rules/facts.ts'
import { DAY_NAMES, DAYS, VERBS } from '../parts/rules/words.ts'
import { type BuilderProps, field, idOf } from './parts.tsx'

interface OperandProps {
  condition: DraftLeaf
  path: string
  builder: BuilderProps
}

/** The fields of a condition, which depend on its topic. */
export function Operands(props: OperandProps): JSX.Element {
  const { topic } = props.condition
  if (topic === '') return ''
  const Fields = CONTROLS[kindOf(topic)]
  return <Fields {...props} />
}

const CONTROLS: { readonly [Kind in TopicKind]: (props: OperandProps) => JSX.Element } = {
  signedIn: () => '',
  now: InstantFields,
  timeWindow: WindowFields,
  field: TextFields,
}

const FIELD_OPERATORS: Readonly<Record<FieldOperator, string>> = {
  equals: 'is',
  in: 'is one of',
  ...VERBS,
  exists: 'is known',
}
/** For languages, the first operator is usually right: `de` includes Austrian German. */
const LANGUAGE_OPERATORS = { language: 'is', ...FIELD_OPERATORS, equals: 'is exactly' }
const INSTANT_OPERATORS: Readonly<Record<InstantOperator, string>> = { before: 'before', after: 'from' }

interface Words {
  placeholder?: string | undefined
  /** The possible values with their names, in order; without them, a text field. */
  choices?: readonly (readonly [value: string, name: string])[] | undefined
  /** The label of `exists`. */
  exists: string
  /** The id of the list of suggestions. */
  list?: string
}

function wordsOf(condition: DraftLeaf, { variables }: BuilderProps): Words {
  const { topic } = condition
  const variable = variableOf(condition, variables)
  if (variable !== undefined) {
    return { ...variableWords(variable), exists: 'is filled in', list: `known-${topicOfVariable(variable)}` }
  }
  const exists = topic === 'query' ? 'is in the link' : FIELD_OPERATORS.exists
  if (topic === '') return { exists }
  const { placeholder, choices, suggestions } = TOPIC_WORDS[topic]
  return {
    placeholder,
    choices: choices && Object.entries(choices),
    exists,
    ...(suggestions === undefined ? {} : { list: `known-${topic}` }),
  }
}

function TextFields({ condition, path, builder }: OperandProps): JSX.Element {
  const { topic, name, op, value } = condition
  const words = wordsOf(condition, builder)
  return (
    <>
      {topic === 'query' && variableOf(condition, builder.variables) === undefined && (
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
      )}
      <Operator
        known={{ ...(topic === 'language' ? LANGUAGE_OPERATORS : FIELD_OPERATORS), exists: words.exists }}
        op={op}
        path={path}
        builder={builder}
      />
      {op === 'exists' ? (
        // Kept in case the operator is changed back.
        <input type="hidden" name={`${path}.value`} value={attribute(value)} />
      ) : op === 'in' ? (
        <Values value={value} words={words} path={path} builder={builder} />
      ) : (
        <Value value={firstLine(value)} op={op} words={words} path={path} builder={builder} />
      )}
    </>
  )
}

interface OperatorProps {
  /** The possible values with their names. */
  known: Readonly<Record<string, string>>
  op: LeafOperator
  path: string
  builder: BuilderProps
}

function Operator({ known, op, path, builder }: OperatorProps): JSX.Element {
  return (
    <select class="operator" aria-label="How" {...field(`${path}.op`, path, builder)} data-refresh="">
      {Object.entries(known).map(([one, name]) => (
        <option value={one} selected={one === op} safe>
          {name}
        </option>
      ))}
    </select>
  )
}

type ValueProps = { value: string; words: Words; path: string; builder: BuilderProps }

function Values({ value, words, path, builder }: ValueProps): JSX.Element {
  const lines = value.split('\n').length
  return (
    <textarea
      aria-label="Values, one per line"
      rows={String(Math.min(Math.max(lines, 2), 8))}
      placeholder={attribute(`One per line\n${words.placeholder ?? ''}`)}
      autocapitalize="off"
      spellcheck="false"
      {...field(`${path}.value`, path, builder)}
      safe
    >
      {textareaContent(value)}
    </textarea>
  )
}

function Value({ value, op, words, path, builder }: ValueProps & { op: LeafOperator }): JSX.Element {
  const { choices: allChoices, placeholder = '', list } = words
  const choices = op === 'equals' ? allChoices : undefined
  const control = field(`${path}.value`, path, builder)
  if (choices === undefined) {
    return (
      <input
        aria-label="Value"
        placeholder={attribute(placeholder)}
        list={list === undefined ? undefined : idOf(list)}
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
      {!choices.some(([known]) => known === value) && (
        <option value={attribute(value)} selected safe>
          {value === '' ? 'Choose…' : value}
        </option>
      )}
      {choices.map(([known, name]) => (
        <option value={attribute(known)} selected={known === value} safe>
          {name}
        </option>
      ))}
    </select>
  )
}

function InstantFields({ condition, path, builder }: OperandProps): JSX.Element {
  const { op, value, zone } = condition
  return (
    <>
      <Operator known={INSTANT_OPERATORS} op={op === 'after' ? op : 'before'} path={path} builder={builder} />
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
        <Each
          of={DAYS}
          show={(day) => (
            <label class="day" title={DAY_NAMES[day]}>
              <input type="checkbox" value="on" checked={days.includes(day)} {...at(`days.${day}`)} />
              <span safe>{DAY_NAMES[day].slice(0, 2)}</span>
              <span class="visually-hidden" safe>
                {DAY_NAMES[day].slice(2)}
              </span>
            </label>
          )}
        />
      </span>
      <span class="span">
        <input type="time" aria-label="From" value={attribute(from)} {...at('from')} />
        <span aria-hidden="true">to</span>
        <input type="time" aria-label="To" value={attribute(to)} {...at('to')} />
      </span>
      <Zone zone={zone} label="Time zone" path={path} builder={builder} />
    </>
  )
}
