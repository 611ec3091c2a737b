/** @jsxImportSource @kitajs/html */

import type { Tab, Traced } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import type { Preview } from '../../../src/policies/answers.ts'
import type { TestResult } from '../../../src/policies/draft/findings.ts'
import type { RuleTrace } from '../../../src/policies/evaluate.ts'
import { destination } from '../../parts/destination.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Mark } from './parts.tsx'
import { GROUP_HEADS, sentenceOf } from './words.ts'

/** The tabs that the viewer gets, and why. */
export function Verdict({ testResult: { preview, places, message, issues } }: { testResult: TestResult }): JSX.Element {
  if (preview === null) {
    return (
      <p class="note error" id="outcome">
        <Icon name="alert" />
        <span safe>{message ?? 'You can’t try this yet.'}</span>
      </p>
    )
  }
  const unfinished = [
    ...new Set(issues.filter(({ path }) => path[1] === 'rules').map(({ path }) => Number(path[2]) + 1)),
  ]
  const matched = preview.trace.findIndex(({ ruleId }) => ruleId === preview.matchedRuleId)
  return (
    <>
      <MatchedRule preview={preview} number={matched === -1 ? null : (places[matched] ?? matched) + 1} />
      {unfinished.length === 0 ? '' : <LeftOut numbers={unfinished} />}
      <Tabs tabs={preview.tabs} />
      {preview.trace.length === 0 ? '' : <Trace trace={preview.trace} places={places} matched={matched} />}
    </>
  )
}

function LeftOut({ numbers }: { numbers: readonly number[] }): JSX.Element {
  const which = `${numbers.length === 1 ? 'Rule' : 'Rules'} ${numbers.slice(0, 5).join(', ')}${numbers.length > 5 ? ' and more' : ''}`
  return (
    <p class="hint" safe>
      {`${which} ${numbers.length === 1 ? 'is' : 'are'} left out until ${numbers.length === 1 ? 'it’s' : 'they’re'} finished.`}
    </p>
  )
}

function MatchedRule({ preview, number }: { preview: Preview; number: number | null }): JSX.Element {
  return (
    <p class={['outcome', number !== null && 'yes']} id="outcome">
      {number === null ? (
        <span>
          No rule matches: <strong>the bundle’s own tabs</strong>
        </span>
      ) : (
        <>
          <Icon name="check" />
          <span>
            {`Rule ${number}: ` as 'safe'}
            <strong dir="auto" safe>
              {preview.matchedRuleName ?? ''}
            </strong>
          </span>
        </>
      )}
    </p>
  )
}

/** The tabs as the launcher would list them. */
function Tabs({ tabs }: { tabs: readonly Tab[] }): JSX.Element {
  return (
    <>
      <p class="hint">{`They get ${count(tabs.length, 'tab')}:` as 'safe'}</p>
      <ol class="got">
        {
          tabs.map(({ url, note = '', section = '' }) => {
            const { host, unicode, path } = destination(url)
            const [title = ''] = note.trim().split('\n')
            return (
              <li>
                {title === '' ? (
                  ''
                ) : (
                  <bdi class="title" safe>
                    {title}
                  </bdi>
                )}
                <bdi class={title === '' ? undefined : 'hint'} title={attribute(url)} safe>
                  {`${unicode === null ? host : `${unicode} (${host})`}${title === '' ? path : ''}`}
                </bdi>
                {section === '' ? (
                  ''
                ) : (
                  <span class="tag" dir="auto" safe>
                    {section}
                  </span>
                )}
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
    </>
  )
}

/** In a policy with more rules, only the matching rule is unfolded. */
const UNFOLDED = 6
/** Maximum conditions shown per rule; the rule's own sentence covers the rest. */
const MAX_NODES = 80

interface TraceProps {
  trace: readonly RuleTrace[]
  places: readonly number[]
  matched: number
}

function Trace({ trace, places, matched }: TraceProps): JSX.Element {
  return (
    <>
      <h3>Why</h3>
      <ol class="trace">
        {
          trace.map(({ name, matched: holds, condition }, index) => {
            const isTried = matched === -1 || index <= matched
            return (
              <li class={isTried ? undefined : 'later'}>
                <details open={index === matched || (isTried && trace.length <= UNFOLDED)}>
                  <summary>
                    <Mark matched={holds} />
                    <span class="number">{(places[index] ?? index) + 1}</span>
                    <bdi safe>{name}</bdi>
                    {isTried ? '' : <span class="hint">not reached</span>}
                  </summary>
                  <ul>
                    <TracedCondition condition={condition} left={{ nodes: MAX_NODES }} />
                  </ul>
                </details>
              </li>
            )
          }) as 'safe'[]
        }
      </ol>
    </>
  )
}

function TracedCondition({ condition, left }: { condition: Traced; left: { nodes: number } }): JSX.Element {
  left.nodes -= 1
  if (left.nodes < 0) return left.nodes === -1 ? <li class="hint">and more</li> : ''
  return (
    <li>
      <span class="traced">
        <Mark matched={condition.matched} />
        {'of' in condition ? (
          <strong>{GROUP_HEADS[condition.op]}</strong>
        ) : (
          <span dir="auto" safe>
            {sentenceOf(condition)}
          </span>
        )}
      </span>
      {'of' in condition ? (
        <ul>{condition.of.map((part) => (<TracedCondition condition={part} left={left} />) as 'safe')}</ul>
      ) : (
        ''
      )}
    </li>
  )
}
