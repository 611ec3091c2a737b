/** @jsxImportSource @kitajs/html */

import { diffLinks, type RuleState } from '../../../src/bundles/diff.ts'
import type { Changes, Entry } from '../../../src/bundles/list-diff.ts'
import { Each } from '../../parts/each.tsx'
import { conditionWords } from '../rules/words.ts'
import { DiffEntry } from './diff-entry.tsx'
import { LinkEntries, WholeLink } from './link-diff.tsx'
import { type Effort, TextDiff } from './text-diff.tsx'

/** The changes of a rule. */
export function RuleEntry({ entry, effort }: { entry: Entry<RuleState>; effort: Effort }): JSX.Element {
  return (
    <DiffEntry entry={entry}>
      {entry.kind === 'kept' ? (
        <ChangedRule rule={entry.value} changes={entry.changes} effort={effort} />
      ) : (
        <WholeRule rule={entry.value} />
      )}
    </DiffEntry>
  )
}

function WholeRule({ rule: { name, showBadge, when, tabs } }: { rule: RuleState }): JSX.Element {
  return (
    <>
      <p class="name" dir="auto" safe>
        {name}
      </p>
      <p>
        <span class="hint">When </span>
        <span class="text" dir="auto" safe>
          {conditionWords(when)}
        </span>
      </p>
      {showBadge ? <p class="hint">Viewers who match it see its name</p> : ''}
      <ol class="tabs">
        <Each
          of={tabs}
          show={(tab) => (
            <li>
              <WholeLink link={tab} />
            </li>
          )}
        />
      </ol>
    </>
  )
}

interface ChangedRuleProps {
  rule: RuleState
  changes: Changes<RuleState>
  effort: Effort
}

function ChangedRule({ rule, changes, effort }: ChangedRuleProps): JSX.Element {
  const { id, name, showBadge, when, tabs } = changes
  return (
    <>
      <p class="name">
        <TextDiff {...(name ?? { from: rule.name, to: rule.name })} effort={effort} />
      </p>
      {when === undefined ? (
        ''
      ) : (
        <p>
          <span class="hint">When </span>
          <TextDiff from={conditionWords(when.from)} to={conditionWords(when.to)} effort={effort} />
        </p>
      )}
      {showBadge === undefined ? (
        ''
      ) : (
        <p class="hint">{showBadge.to ? 'Viewers now see its name' : 'Viewers no longer see its name'}</p>
      )}
      {tabs === undefined ? '' : <LinkEntries entries={diffLinks(tabs.from, tabs.to)} effort={effort} />}
      {id === undefined || id.to === '' ? '' : <p class="hint">Counted as a new rule</p>}
    </>
  )
}
