/** @jsxImportSource @kitajs/html */

import type { Policy, Rule } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { count } from '../../../src/core/words.ts'
import { FREE } from '../../../src/launcher/filling.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { Each } from '../../parts/each.tsx'
import { Notes, type RuleShares, ShareOfViews } from './parts.tsx'
import { ConditionTree, TabList } from './tree.tsx'
import { summaryOf } from './words.ts'

interface ReadProps {
  policy: Policy
  findings: Findings
  /** The bundle's variables. */
  variables?: readonly Variable[]
  shares?: RuleShares
}

/** Rules for members who cannot edit. */
export function RulesRead({ policy, findings, variables = [], shares = new Map() }: ReadProps): JSX.Element {
  return (
    <ol class="rules">
      <Each
        of={policy.rules}
        show={(rule, at) => (
          <RuleRead rule={rule} at={at} findings={findings} variables={variables} share={shares.get(rule.id)} />
        )}
      />
    </ol>
  )
}

interface RuleProps {
  rule: Rule
  at: number
  findings: Findings
  variables: readonly Variable[]
  share: number | undefined
}

function RuleRead({ rule, at, findings, variables, share }: RuleProps): JSX.Element {
  const { name, showBadge, when, tabs } = rule
  return (
    <li class="rule">
      <div class="rule-head cluster">
        <span class="number">{at + 1}</span>
        <h3 class="name">
          <bdi safe>{name}</bdi>
          {showBadge === true ? <span class="tag">Badge</span> : ''}
        </h3>
        <ShareOfViews share={share} />
      </div>
      <div class="rule-state">
        <p class="summary" dir="auto" safe>
          {summaryOf(when, variables)}
        </p>
        <Notes place={`rules.${at}`} findings={findings} />
      </div>
      <details class="more">
        <summary safe>{`${count(tabs.length, 'tab')} and the conditions in full`}</summary>
        <ul class="read">
          <ConditionTree condition={when} variables={variables} />
        </ul>
        {/* As they are, with blanks for what viewers fill in. */}
        <TabList tabs={tabs} fill={{ variables, filling: FREE }} />
      </details>
    </li>
  )
}
