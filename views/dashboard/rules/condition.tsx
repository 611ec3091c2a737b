/** @jsxImportSource @kitajs/html */

import type { GroupOperator } from '../../../db/policy.ts'
import {
  type DraftCondition,
  type DraftGroup,
  type DraftLeaf,
  heightOf,
} from '../../../src/dashboard/rules/draft-conditions.ts'
import { CONDITION_BOUNDS } from '../../../src/policies/operators.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { SUBJECT_GROUPS, SUBJECT_WORDS } from './facts.ts'
import { Operands } from './operands.tsx'
import { type Building, Do, field, idOf, State } from './parts.tsx'

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

const GROUPS: Readonly<Record<GroupOperator, string>> = {
  and: 'All of these',
  or: 'Any of these',
  not: 'None of these',
}

function Group({ condition, path, number, depth, building }: ConditionProps<DraftGroup>): JSX.Element {
  const { op, of } = condition
  const isRoot = depth === 0
  // To `none of these` a second one is added by a group of their own.
  const room = CONDITION_BOUNDS.depth - depth - 1
  const mayAdd = op !== 'not' || room > 0 || of.length === 0
  return (
    <fieldset class="group">
      <legend class="visually-hidden" safe>
        {isRoot ? 'Conditions' : `Group ${number}`}
      </legend>
      <div class="group-head">
        <State place={path} findings={building.findings} />
        <select aria-label="How these go together" {...field(`${path}.op`, path, building)} data-refresh="">
          {Object.entries(GROUPS).map(([known, name]) => (
            <option value={known} selected={known === op} safe>
              {name}
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

function Leaf({ condition, path, number, depth, building }: ConditionProps<DraftLeaf>): JSX.Element {
  const { subject, was } = condition
  const label = number === '' ? 'Condition' : `Condition ${number}`
  return (
    <fieldset class="condition">
      <legend class="visually-hidden">{label as 'safe'}</legend>
      <State place={path} findings={building.findings} />
      <div class="controls">
        <select aria-label="Asks about" {...field(`${path}.subject`, path, building)} data-refresh="">
          {subject === '' ? <option value="">Choose…</option> : ''}
          {
            SUBJECT_GROUPS.map(({ group, subjects }) => (
              <optgroup label={group}>
                {subjects
                  .filter((known) => known === subject || building.findings.absent[known] === undefined)
                  .map((known) => (
                    <option value={known} selected={known === subject} safe>
                      {SUBJECT_WORDS[known].label}
                    </option>
                  ))}
              </optgroup>
            )) as 'safe'[]
          }
        </select>
        <input type="hidden" name={`${path}.asked`} value={subject} />
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
