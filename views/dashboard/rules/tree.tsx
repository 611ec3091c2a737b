/** @jsxImportSource @kitajs/html */
import type { Condition, Traced } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { asSentence } from '../../../src/core/words.ts'
import { conditionWords, GROUP_HEADS } from '../parts/rules/words.ts'
import { Mark } from './parts.tsx'

/** Further conditions are not listed; the rule's sentence covers them. */
const MAX_NODES = 200

interface TreeProps {
  condition: Condition | Traced
  /** The bundle's variables. */
  variables: readonly Variable[]
}

/** All parts of a condition; after a test, each with its result. */
export function ConditionTree(props: TreeProps): JSX.Element {
  return <Node {...props} left={{ nodes: MAX_NODES }} />
}

function Node({ condition, variables, left }: TreeProps & { left: { nodes: number } }): JSX.Element {
  left.nodes -= 1
  if (left.nodes < 0) return left.nodes === -1 ? <li class="hint">and more</li> : ''
  return (
    <li>
      <span class="traced">
        {'matched' in condition && <Mark matched={condition.matched} />}
        {'of' in condition ? (
          <strong>{GROUP_HEADS[condition.op]}</strong>
        ) : (
          <span dir="auto" safe>
            {asSentence(conditionWords(condition, variables))}
          </span>
        )}
      </span>
      {'of' in condition && (
        <ul>
          {condition.of.map((part) => (
            <Node condition={part} variables={variables} left={left} />
          ))}
        </ul>
      )}
    </li>
  )
}
