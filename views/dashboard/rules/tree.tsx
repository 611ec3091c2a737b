/** @jsxImportSource @kitajs/html */

import type { Condition, Tab, Traced } from '../../../db/policy.ts'
import { asSentence } from '../../../src/core/words.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { Each } from '../../parts/each.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Mark } from './parts.tsx'
import { conditionWords, GROUP_HEADS } from './words.ts'

/** More conditions than this are not listed; the rule's own sentence covers them. */
const MAX_NODES = 200

/** All parts of a condition; each with whether it holds, if it was tested. */
export function ConditionTree({ condition }: { condition: Condition | Traced }): JSX.Element {
  return <Node condition={condition} left={{ nodes: MAX_NODES }} />
}

function Node({ condition, left }: { condition: Condition | Traced; left: { nodes: number } }): JSX.Element {
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
            {asSentence(conditionWords(condition))}
          </span>
        )}
      </span>
      {'of' in condition ? (
        <ul>
          {condition.of.map((part) => (
            <Node condition={part} left={left} />
          ))}
        </ul>
      ) : (
        ''
      )}
    </li>
  )
}

/** The tabs of a rule, with their notes, as the launcher would list them. */
export function TabList({ tabs }: { tabs: readonly Tab[] }): JSX.Element {
  return (
    <ol class="got">
      <Each
        of={tabs}
        show={({ url, note = '', section = '' }) => {
          const to = destination(url)
          const [title = '', ...more] = note.trim().split('\n')
          return (
            <li>
              {title === '' ? (
                ''
              ) : (
                <bdi class="title" safe>
                  {title}
                </bdi>
              )}
              <a href={attribute(to.href)} target="_blank" rel="noopener noreferrer">
                <bdi safe>{hostText(to) + to.path}</bdi>
              </a>
              {more.length === 0 ? (
                ''
              ) : (
                <span class="hint" dir="auto" safe>
                  {more.join('\n')}
                </span>
              )}
              {section === '' ? (
                ''
              ) : (
                <span class="tag" dir="auto" safe>
                  {section}
                </span>
              )}
            </li>
          )
        }}
      />
    </ol>
  )
}
