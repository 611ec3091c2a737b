/** @jsxImportSource @kitajs/html */
import type { Policy, Rule, Tab } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { namesIn } from '../../../src/core/template.js'
import { count } from '../../../src/core/words.ts'
import { FREE } from '../../../src/launcher/filling.ts'
import { follows, NO_LINKS, type Own, ownTabsOf, type ShownTab, shownTabs } from '../../../src/policies/base.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { Filled, type FilledProps, leadTo } from '../../launcher/parts/filled.tsx'
import { destination, hostText, withBraces } from '../../parts/destination.ts'
import { Each } from '../../parts/layout.tsx'
import { summaryOf } from '../parts/rules/words.ts'
import { Notes, type RuleShares, ShareOfViews } from './parts.tsx'
import { RuleReason } from './reason.tsx'
import { ConditionTree } from './tree.tsx'

interface ReadProps {
  policy: Policy
  /** The bundle's links; missing for a sample. */
  own?: Own
  findings: Findings
  /** The bundle's variables. */
  variables?: readonly Variable[]
  shares?: RuleShares
}

/** Rules for members who cannot edit. */
export function RulesRead({
  policy,
  own = NO_LINKS,
  findings,
  variables = [],
  shares = new Map(),
}: ReadProps): JSX.Element {
  return (
    <ol class="rules">
      <Each
        of={policy.rules}
        show={(rule, at) => (
          <RuleRead
            rule={rule}
            own={ownTabsOf(own)}
            at={at}
            findings={findings}
            variables={variables}
            share={shares.get(rule.id)}
          />
        )}
      />
    </ol>
  )
}

interface RuleProps {
  rule: Rule
  own: readonly ShownTab[]
  at: number
  findings: Findings
  variables: readonly Variable[]
  share: number | undefined
}

function RuleRead({ rule, own, at, findings, variables, share }: RuleProps): JSX.Element {
  const { name, showBadge, when } = rule
  const tabs = shownTabs(rule, own)
  return (
    <li class="rule">
      <div class="rule-head cluster">
        <span class="number">{at + 1}</span>
        <h3 class="name">
          <bdi safe>{name}</bdi>
          {showBadge === true && <span class="tag">Badge</span>}
        </h3>
        <ShareOfViews share={share} />
      </div>
      <div class="rule-state">
        <p class="summary" dir="auto" safe>
          {summaryOf(when, variables)}
        </p>
        <Notes place={`rules.${at}`} findings={findings} />
      </div>
      <RuleReason place={`rules.${at}`} findings={findings} variables={variables} />
      <details class="more">
        <summary
          safe
        >{`${count(tabs.length, 'tab')}${follows(rule) ? ', following the bundle,' : ''} and the conditions in full`}</summary>
        <ul class="read">
          <ConditionTree condition={when} variables={variables} />
        </ul>
        {/* As saved, with blanks for values. */}
        <TabList tabs={tabs} fill={{ variables, filling: FREE }} />
      </details>
    </li>
  )
}

interface TabListProps {
  tabs: readonly Tab[]
  /** The values for their placeholders. */
  fill: FilledProps
}

/** The tabs of a rule with their notes, as the launcher would list them. */
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
              {title !== '' && (
                <bdi class="title">
                  <Filled text={title} {...fill} />
                </bdi>
              )}
              <a {...leadTo(url, fill)}>
                <bdi>
                  <Filled text={hostText(to) + withBraces(to.path, own)} {...fill} />
                </bdi>
              </a>
              {more.length > 0 && (
                <span class="hint" dir="auto">
                  <Filled text={more.join('\n')} {...fill} />
                </span>
              )}
              {section !== '' && (
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
