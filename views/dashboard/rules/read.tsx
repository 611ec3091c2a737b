/** @jsxImportSource @kitajs/html */

import type { Condition, Policy, Rule, Tab } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { destination } from '../../parts/destination.ts'
import { attribute } from '../../parts/layout.tsx'
import { conditionWords } from './condition-words.ts'
import { Notes } from './parts.tsx'
import { GROUP_HEADS, sentenceOf } from './words.ts'

interface ReadProps {
  policy: Policy
  findings: Findings
}

/** Rules for members who cannot edit. */
export function RulesRead({ policy, findings }: ReadProps): JSX.Element {
  return (
    <ol class="rules">
      {policy.rules.map((rule, at) => <RuleRead rule={rule} at={at} findings={findings} />) as 'safe'[]}
    </ol>
  )
}

interface RuleProps {
  rule: Rule
  at: number
  findings: Findings
}

function RuleRead({ rule, at, findings }: RuleProps): JSX.Element {
  const { name, showBadge, when, tabs } = rule
  return (
    <li class="rule">
      <div class="rule-head">
        <span class="number">{at + 1}</span>
        <h3 class="name">
          <bdi safe>{name}</bdi>
          {showBadge === true ? <span class="tag">Badge</span> : ''}
        </h3>
      </div>
      <div class="rule-state">
        <p class="summary" dir="auto" safe>
          {sentenceOf(when)}
        </p>
        <Notes place={`rules.${at}`} findings={findings} />
      </div>
      <details class="more">
        <summary>{`${count(tabs.length, 'tab')} and the conditions in full` as 'safe'}</summary>
        <ul class="read">
          <ConditionRead condition={when} left={{ nodes: MAX_NODES }} />
        </ul>
        <TabList tabs={tabs} />
      </details>
    </li>
  )
}

const MAX_NODES = 200

function ConditionRead({ condition, left }: { condition: Condition; left: { nodes: number } }): JSX.Element {
  left.nodes -= 1
  if (left.nodes < 0) return left.nodes === -1 ? <li class="hint">and more</li> : ''
  if (!('of' in condition)) {
    return (
      <li>
        <span dir="auto" safe>
          {conditionWords(condition)}
        </span>
      </li>
    )
  }
  return (
    <li>
      <strong>{GROUP_HEADS[condition.op]}</strong>
      <ul>{condition.of.map((part) => (<ConditionRead condition={part} left={left} />) as 'safe')}</ul>
    </li>
  )
}

function TabList({ tabs }: { tabs: readonly Tab[] }): JSX.Element {
  return (
    <ol class="got">
      {
        tabs.map(({ url, note = '', section = '' }) => {
          const { href, host, unicode, path } = destination(url)
          return (
            <li>
              <a href={attribute(href)} target="_blank" rel="noopener noreferrer">
                <bdi safe>{`${unicode === null ? host : `${unicode} (${host})`}${path}`}</bdi>
              </a>
              {note.trim() === '' ? (
                ''
              ) : (
                <span class="hint" dir="auto" safe>
                  {note}
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
        }) as 'safe'[]
      }
    </ol>
  )
}
