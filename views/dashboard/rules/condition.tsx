/** @jsxImportSource @kitajs/html */
import {
  type DraftCondition,
  type DraftGroup,
  type DraftLeaf,
  heightOf,
} from '../../../src/policies/draft/conditions.ts'
import { CONDITION_BOUNDS } from '../../../src/policies/operators.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { TOPIC_GROUPS, TOPIC_WORDS, topicOfVariable, variableOf, variableWords } from '../parts/rules/facts.ts'
import { GROUP_HEADS } from '../parts/rules/words.ts'
import { Operands } from './operands.tsx'
import { ActionButton, type BuilderProps, field, idOf, Notes } from './parts.tsx'

interface ConditionProps<Of extends DraftCondition = DraftCondition> {
  condition: Of
  path: string
  /** Its displayed number, from 1: `1.2`; `''` for the outermost. */
  number: string
  /** The number of groups around it. */
  depth: number
  builder: BuilderProps
}

/** The fields of a condition, or of all conditions in a group. */
export function ConditionFields({ condition, ...place }: ConditionProps): JSX.Element {
  return 'of' in condition ? <Group condition={condition} {...place} /> : <Leaf condition={condition} {...place} />
}

function Group({ condition, path, number, depth, builder }: ConditionProps<DraftGroup>): JSX.Element {
  const { op, of } = condition
  const isRoot = depth === 0
  // A second condition in `none of these` needs another group around both.
  const room = CONDITION_BOUNDS.depth - depth - 1
  const mayAdd = op !== 'not' || room > 0 || of.length === 0
  return (
    <fieldset class="group">
      <legend class="visually-hidden" safe>
        {isRoot ? 'Conditions' : `Group ${number}`}
      </legend>
      <div class="group-head cluster">
        <Notes place={path} findings={builder.findings} />
        <select aria-label="How these combine" {...field(`${path}.op`, path, builder)} data-refresh="">
          {Object.entries(GROUP_HEADS).map(([known, name]) => (
            <option value={known} selected={known === op} safe>
              {`${name} these`}
            </option>
          ))}
        </select>
        <span class="tools">
          {depth + heightOf(condition) < CONDITION_BOUNDS.depth && !isRoot && (
            <ActionButton action={`if.nest ${path}`} label={`Put group ${number} into a group`} icon="nest" />
          )}
          {(!isRoot || of.length === 1) && (
            <ActionButton
              action={`if.lift ${path}`}
              label={`Remove group ${number}, keep its conditions`}
              icon="unnest"
            />
          )}
          {!isRoot && <ActionButton action={`if.remove ${path}`} label={`Remove group ${number}`} icon="trash" />}
        </span>
      </div>
      <ol class="parts">
        <Each
          of={of}
          show={(part, index) => (
            <li>
              <ConditionFields
                condition={part}
                path={`${path}.of.${index}`}
                number={number === '' ? `${index + 1}` : `${number}.${index + 1}`}
                depth={depth + 1}
                builder={builder}
              />
            </li>
          )}
        />
      </ol>
      <AddButtons path={path} builder={builder} mayAdd={mayAdd} mayGroup={room > (op === 'not' ? 1 : 0)} />
    </fieldset>
  )
}

function Leaf({ condition, path, number, depth, builder }: ConditionProps<DraftLeaf>): JSX.Element {
  const { topic, was } = condition
  const { variables } = builder
  const own = variableOf(condition, variables)
  const chosen = own === undefined ? topic : topicOfVariable(own)
  const label = number === '' ? 'Condition' : `Condition ${number}`
  return (
    <fieldset class="condition">
      <legend class="visually-hidden" safe>
        {label}
      </legend>
      <Notes place={path} findings={builder.findings} />
      <div class="controls cluster">
        <select aria-label="What to check" {...field(`${path}.topic`, path, builder)} data-refresh="">
          {topic === '' && <option value="">Choose…</option>}
          {variables.length > 0 && (
            <optgroup label="Variables">
              <Each
                of={variables}
                show={(variable) => (
                  <option value={topicOfVariable(variable)} selected={variable === own} safe>
                    {variableWords(variable).label}
                  </option>
                )}
              />
            </optgroup>
          )}
          <Each
            of={TOPIC_GROUPS}
            show={({ group, topics }) => (
              <optgroup label={group}>
                {topics
                  .filter((known) => known === topic || builder.findings.absent[known] === undefined)
                  .map((known) => (
                    <option value={known} selected={known === chosen} safe>
                      {TOPIC_WORDS[known].label}
                    </option>
                  ))}
              </optgroup>
            )}
          />
        </select>
        <input type="hidden" name={`${path}.asked`} value={chosen} />
        <Operands condition={condition} path={path} builder={builder} />
        {was !== null && <input type="hidden" name={`${path}.was`} value={attribute(JSON.stringify(was))} />}
      </div>
      <span class="tools">
        {depth < CONDITION_BOUNDS.depth && depth > 0 && (
          <ActionButton action={`if.nest ${path}`} label={`Put ${label.toLowerCase()} into a group`} icon="nest" />
        )}
        {(depth > 0 || topic !== '') && (
          <ActionButton action={`if.remove ${path}`} label={`Remove ${label.toLowerCase()}`} icon="trash" />
        )}
      </span>
    </fieldset>
  )
}

interface AddButtonsProps {
  path: string
  builder: BuilderProps
  mayAdd: boolean
  mayGroup: boolean
}

/** The buttons that add a condition or a group. */
export function AddButtons({ path, builder, mayAdd, mayGroup }: AddButtonsProps): JSX.Element {
  const button = (action: string, text: 'Condition' | 'Group', focus: string) => (
    <button
      type="submit"
      class="quiet small"
      name="do"
      value={`${action} ${path}`}
      id={idOf(`${path}.${focus}`)}
      autofocus={builder.focus === `${path}.${focus}`}
    >
      <Icon name="plus" />
      {text}
    </button>
  )
  return (
    <div class="adds cluster">
      {mayAdd && button('if.add', 'Condition', 'add')}
      {mayGroup && button('if.group', 'Group', 'group')}
    </div>
  )
}
