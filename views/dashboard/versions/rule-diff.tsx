/** @jsxImportSource @kitajs/html */

import type { Condition } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { diffLinks, type RuleState } from '../../../src/bundles/diff.ts'
import type { Changes, Entry } from '../../../src/bundles/list-diff.ts'
import { asSentence } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { conditionWords } from '../rules/words.ts'
import { DiffEntry } from './diff-entry.tsx'
import { LinkEntries, WholeLink } from './link-diff.tsx'
import { type Effort, TextDiff } from './text-diff.tsx'

interface Shared {
  /** By whose labels conditions are said. */
  variables: readonly Variable[]
  effort: Effort
  icons: SiteIcons
}

/** The changes of a rule. */
export function RuleEntry({ entry, ...shared }: Shared & { entry: Entry<RuleState> }): JSX.Element {
  return (
    <DiffEntry entry={entry}>
      {entry.kind === 'kept' ? (
        <ChangedRule {...shared} rule={entry.value} changes={entry.changes} />
      ) : (
        <WholeRule rule={entry.value} variables={shared.variables} />
      )}
    </DiffEntry>
  )
}

function WholeRule({ rule, variables }: Pick<Shared, 'variables'> & { rule: RuleState }): JSX.Element {
  const { name, showBadge, when, tabs } = rule
  return (
    <>
      <p class="name" dir="auto" safe>
        {name}
      </p>
      <p>
        <span class="text" dir="auto" safe>
          {asSentence(conditionWords(when, variables))}
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

interface ChangedRuleProps extends Shared {
  rule: RuleState
  changes: Changes<RuleState>
}

function ChangedRule({ rule, changes, variables, effort, icons }: ChangedRuleProps): JSX.Element {
  const { id, name, showBadge, when, tabs } = changes
  const words = (condition: Condition) => asSentence(conditionWords(condition, variables))
  return (
    <>
      <p class="name">
        <TextDiff {...(name ?? { from: rule.name, to: rule.name })} effort={effort} />
      </p>
      {when === undefined ? (
        ''
      ) : (
        <p>
          <TextDiff from={words(when.from)} to={words(when.to)} effort={effort} />
        </p>
      )}
      {showBadge === undefined ? (
        ''
      ) : (
        <p class="hint">{showBadge.to ? 'Viewers now see its name' : 'Viewers no longer see its name'}</p>
      )}
      {tabs === undefined ? '' : <LinkEntries entries={diffLinks(tabs.from, tabs.to)} effort={effort} icons={icons} />}
      {id === undefined || id.to === '' ? '' : <p class="hint">Counted as a new rule</p>}
    </>
  )
}
