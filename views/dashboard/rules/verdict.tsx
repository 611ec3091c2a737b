/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../../db/schema.ts'
import { labelOf } from '../../../src/bundles/variables.ts'
import { count, joinList } from '../../../src/core/words.ts'
import type { TestResult } from '../../../src/policies/draft/findings.ts'
import type { RuleTrace } from '../../../src/policies/evaluate.ts'
import type { Tried } from '../../../src/policies/preview.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Mark } from './parts.tsx'
import { ConditionTree, TabList } from './tree.tsx'

interface VerdictProps {
  testResult: TestResult
  /** The bundle's variables. */
  variables: readonly Variable[]
}

/** The tabs that the viewer gets, and why. */
export function Verdict({ testResult, variables }: VerdictProps): JSX.Element {
  const { preview, places, message, issues } = testResult
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
      <p class="big" safe>
        {count(preview.tabs.length, 'tab')}
      </p>
      <MatchedRule preview={preview} number={matched === -1 ? null : (places[matched] ?? matched) + 1} />
      {unfinished.length === 0 ? '' : <LeftOut numbers={unfinished} />}
      <AskedFirst filling={preview.filling} variables={variables} />
      <TabList tabs={preview.tabs} fill={{ variables, filling: preview.filling }} />
      {preview.trace.length === 0 ? (
        ''
      ) : (
        <Trace trace={preview.trace} places={places} matched={matched} variables={variables} />
      )}
    </>
  )
}

/** What the launcher asks for before it opens anything. */
function AskedFirst({
  filling: { missing, invalid },
  variables,
}: Pick<Tried, 'filling'> & Pick<VerdictProps, 'variables'>) {
  const names = [...missing, ...invalid.map(({ name }) => name)]
  const asked = variables.filter(({ name }) => names.includes(name)).map(labelOf)
  if (asked.length === 0) return ''
  return (
    <p class="hint" dir="auto" safe>
      {`The page asks them for ${joinList(asked, 'and')} first.`}
    </p>
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

function MatchedRule({ preview, number }: { preview: Tried; number: number | null }): JSX.Element {
  return (
    <p class={['outcome', number !== null && 'yes']} id="outcome">
      {number === null ? (
        <span>
          No rule matches. They see <strong>the default tabs</strong>.
        </span>
      ) : (
        <>
          <Icon name="check" />
          <span>
            Rule {number}:{' '}
            <strong dir="auto" safe>
              {preview.matchedRuleName ?? ''}
            </strong>
          </span>
        </>
      )}
    </p>
  )
}

/** In a policy with more rules, only the matching rule is unfolded. */
const UNFOLDED = 6

interface TraceProps {
  trace: readonly RuleTrace[]
  places: readonly number[]
  matched: number
  variables: readonly Variable[]
}

function Trace({ trace, places, matched, variables }: TraceProps): JSX.Element {
  return (
    <>
      <h3>Why</h3>
      <ol class="trace">
        <Each
          of={trace}
          show={({ name, matched: holds, condition }, index) => {
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
                    <ConditionTree condition={condition} variables={variables} />
                  </ul>
                </details>
              </li>
            )
          }}
        />
      </ol>
    </>
  )
}
