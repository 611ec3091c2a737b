/** @jsxImportSource @kitajs/html */

import type { Condition, Tab, Traced } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { namesIn } from '../../../src/core/template.js'
import { asSentence } from '../../../src/core/words.ts'
import { Filled, type FilledProps, leadTo } from '../../launcher/filled.tsx'
import { destination, hostText, withBraces } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { Mark } from './parts.tsx'
import { conditionWords, GROUP_HEADS } from './words.ts'

/** More conditions than this are not listed; the rule's own sentence covers them. */
const MAX_NODES = 200

interface TreeProps {
  condition: Condition | Traced
  /** The bundle's variables. */
  variables: readonly Variable[]
}

/** All parts of a condition; each with whether it holds, if it was tested. */
export function ConditionTree(props: TreeProps): JSX.Element {
  return <Node {...props} left={{ nodes: MAX_NODES }} />
}

function Node({ condition, variables, left }: TreeProps & { left: { nodes: number } }): JSX.Element {
  left.nodes -= 1
  if (left.nodes < 0) return left.nodes === -1 ? <li class="hint">and more</li> : ''
  return (
    <li>
      <span class="traced">
        {'matched' in condition ? <Mark matched={condition.matched} /> : ''}
        {'of' in condition ? (
          <strong>{GROUP_HEADS[condition.op]}</strong>
        ) : (
          <span dir="auto" safe>
            {asSentence(conditionWords(condition, variables))}
          </span>
        )}
      </span>
      {'of' in condition ? (
        <ul>
          {condition.of.map((part) => (
            <Node condition={part} variables={variables} left={left} />
          ))}
        </ul>
      ) : (
        ''
      )}
    </li>
  )
}

interface TabListProps {
  tabs: readonly Tab[]
  /** What stands in place of their placeholders. */
  fill: FilledProps
}

/** The tabs of a rule, with their notes, as the launcher would list them. */
export function TabList({ tabs, fill }: TabListProps): JSX.Element {
  const names = fill.variables.map(({ name }) => name)
  return (
    <ol class="got">
      <Each
        of={tabs}
        show={({ url, note = '', section = '' }) => {
          const to = destination(url)
          const own = namesIn(url, names)
          const [title = '', ...more] = note.trim().split('\n')
          return (
            <li>
              {title === '' ? (
                ''
              ) : (
                <bdi class="title">
                  <Filled text={title} {...fill} />
                </bdi>
              )}
              <a {...leadTo(url, fill)}>
                <bdi>
                  <Filled text={hostText(to) + withBraces(to.path, own)} {...fill} />
                </bdi>
              </a>
              {more.length === 0 ? (
                ''
              ) : (
                <span class="hint" dir="auto">
                  <Filled text={more.join('\n')} {...fill} />
                </span>
              )}
              {section === '' ? (
                ''
              ) : (
                <span class="tag" dir="auto">
                  <Filled text={section} {...fill} />
                </span>
              )}
            </li>
          )
        }}
      />
    </ol>
  )
}
