/** @jsxImportSource @kitajs/html */
import type { PropsWithChildren } from '@kitajs/html'
import type { Condition } from '../../../../db/policy.ts'
import type { Variable } from '../../../../db/schema.ts'
import { CONTENT, inWords, SCALAR_NAMES, type ScalarName } from '../../../../src/bundles/content/content.ts'
import {
  type BundleDiff,
  type Changes,
  diffLinks,
  type Entry,
  isSame,
  NO_DIFFERENCES,
  type RuleState,
} from '../../../../src/bundles/content/diff.ts'
import type { Version } from '../../../../src/bundles/edit/history.ts'
import { VARIABLE_LABELS, type WholeVariable } from '../../../../src/bundles/variables/variables.ts'
import { asSentence } from '../../../../src/core/words.ts'
import type { SiteIcons } from '../../../../src/icons/site.ts'
import { ExactTime } from '../../../parts/exact-time.tsx'
import { attribute, Each } from '../../../parts/layout.tsx'
import { personName } from '../../../parts/tile.tsx'
import { conditionWords } from '../rules/words.ts'
import type { DashboardSite } from '../shell.tsx'
import { LinkEntries, WholeLink } from './link-diff.tsx'
import { DiffEntry, type Effort, newEffort, TextDiff } from './text-diff.tsx'

interface DiffProps {
  diff: BundleDiff
  /** The variables of both states, the later state first; their labels describe the conditions of rules. */
  named: readonly Variable[]
  /** Icons for the sites of links. */
  icons: SiteIcons
}

/** The differences between two states of a bundle: fields, links and rules. */
export function Diff({ diff, named, icons }: DiffProps): JSX.Element {
  if (isSame(diff)) return <p class="hint">{NO_DIFFERENCES}</p>
  const effort = newEffort()
  const parts = {
    fields: <Values fields={diff.fields} effort={effort} />,
    links: <Links links={diff.links} effort={effort} icons={icons} />,
    variables: <Variables variables={diff.variables} effort={effort} />,
    rules: <Rules rules={diff.rules} named={named} effort={effort} icons={icons} />,
  } satisfies Record<keyof BundleDiff, JSX.Element>
  return <div class="diff">{Object.values(parts)}</div>
}

type Part<Name extends keyof BundleDiff> = Pick<BundleDiff, Name> & { effort: Effort }

function Values({ fields, effort }: Part<'fields'>): JSX.Element {
  return (
    <Each
      of={SCALAR_NAMES}
      show={(name) => {
        const change = fields[name]
        if (change === undefined) return ''
        return (
          <Facet name={CONTENT[name].label}>
            <p>
              <ValueDiff name={name} {...change} effort={effort} />
            </p>
          </Facet>
        )
      }}
    />
  )
}

interface ValueDiffProps {
  name: ScalarName
  from: string
  to: string
  effort: Effort
}

function ValueDiff({ name, from, to, effort }: ValueDiffProps): JSX.Element {
  const { kind } = CONTENT[name]
  if (kind === 'time') return <TimeDiff from={from} to={to} />
  if (kind === 'text') return <TextDiff from={from} to={to} effort={effort} isStressed={name === 'description'} />
  return (
    <span class="text">
      <del safe>{inWords(name, from)}</del> <ins safe>{inWords(name, to)}</ins>
    </span>
  )
}

/** Two whole times: comparing digits says little. */
function TimeDiff({ from, to }: { from: string; to: string }): JSX.Element {
  return (
    <span class="text">
      {from !== '' && (
        <del>
          <ExactTime at={from} />
        </del>
      )}
      {to !== '' && (
        <ins>
          <ExactTime at={to} />
        </ins>
      )}
    </span>
  )
}

function Links({ links, effort, icons }: Part<'links'> & Pick<DiffProps, 'icons'>): JSX.Element {
  if (links.length === 0) return ''
  return (
    <Facet name={CONTENT.urls.label}>
      <LinkEntries entries={links} effort={effort} icons={icons} />
    </Facet>
  )
}

function Variables({ variables, effort }: Part<'variables'>): JSX.Element {
  if (variables.length === 0) return ''
  return (
    <Facet name={CONTENT.variables.label}>
      <ul class="entries">
        <Each of={variables} show={(entry) => <VariableEntry entry={entry} effort={effort} />} />
      </ul>
    </Facet>
  )
}

function Rules({ rules, named, effort, icons }: Part<'rules'> & Pick<DiffProps, 'named' | 'icons'>): JSX.Element {
  if (rules.length === 0) return ''
  return (
    <Facet name={CONTENT.resolutionPolicy.label}>
      <ul class="entries">
        <Each
          of={rules}
          show={(entry) => <RuleEntry entry={entry} variables={named} effort={effort} icons={icons} />}
        />
      </ul>
    </Facet>
  )
}

function Facet({ name, children }: PropsWithChildren<{ name: string }>): JSX.Element {
  return (
    <div class="facet">
      <h3 safe>{name}</h3>
      {children}
    </div>
  )
}

/** The changes of a variable: its name and changed fields if it remains, otherwise all its fields. */
function VariableEntry({ entry, effort }: { entry: Entry<WholeVariable>; effort: Effort }): JSX.Element {
  const { value } = entry
  const changes = entry.kind === 'kept' ? entry.changes : {}
  const fields = (Object.keys(VARIABLE_LABELS) as (keyof WholeVariable)[]).filter(
    (name) => name !== 'name' && (entry.kind === 'kept' ? name in changes : value[name].length > 0),
  )
  const name = changes.name ?? { from: value.name, to: value.name }
  return (
    <DiffEntry entry={entry}>
      <p class="name">
        <TextDiff from={`{${name.from}}`} to={`{${name.to}}`} effort={effort} />
      </p>
      <Each
        of={fields}
        show={(field) => {
          const text = value[field]
          const { from, to } = changes[field] ?? { from: text, to: text }
          return (
            <p>
              <span class="hint" safe>{`${VARIABLE_LABELS[field]} `}</span>
              <TextDiff from={[from].flat().join(', ')} to={[to].flat().join(', ')} effort={effort} />
            </p>
          )
        }}
      />
    </DiffEntry>
  )
}

interface Shared {
  /** The variables whose labels describe conditions. */
  variables: readonly Variable[]
  effort: Effort
  icons: SiteIcons
}

/** The changes of a rule. */
function RuleEntry({ entry, ...shared }: Shared & { entry: Entry<RuleState> }): JSX.Element {
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
  const { name, showBadge, when, base, omit, tabs } = rule
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
      {base === 'bundle' && <p class="hint">Follows the bundle</p>}
      {omit.length > 0 && <LeftOut urls={omit} />}
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

/** The links of the bundle that a rule leaves out. */
function LeftOut({ urls }: { urls: readonly string[] }): JSX.Element {
  return (
    <p>
      <span class="hint">{'Without '}</span>
      <bdi class="text" safe>
        {urls.join(', ')}
      </bdi>
    </p>
  )
}

interface ChangedRuleProps extends Shared {
  rule: RuleState
  changes: Changes<RuleState>
}

function ChangedRule({ rule, changes, variables, effort, icons }: ChangedRuleProps): JSX.Element {
  const { id, name, showBadge, when, base, omit, tabs } = changes
  const words = (condition: Condition) => asSentence(conditionWords(condition, variables))
  return (
    <>
      <p class="name">
        <TextDiff {...(name ?? { from: rule.name, to: rule.name })} effort={effort} />
      </p>
      {when !== undefined && (
        <p>
          <TextDiff from={words(when.from)} to={words(when.to)} effort={effort} />
        </p>
      )}
      {showBadge !== undefined && (
        <p class="hint">{showBadge.to ? 'Viewers now see its name' : 'Viewers no longer see its name'}</p>
      )}
      {base !== undefined && (
        <p class="hint">{base.to === 'bundle' ? 'Now follows the bundle' : 'No longer follows the bundle'}</p>
      )}
      {omit !== undefined && (
        <p>
          <span class="hint">{'Without '}</span>
          <TextDiff from={omit.from.join(', ')} to={omit.to.join(', ')} effort={effort} />
        </p>
      )}
      {tabs !== undefined && <LinkEntries entries={diffLinks(tabs.from, tabs.to)} effort={effort} icons={icons} />}
      {id !== undefined && id.to !== '' && <p class="hint">Counted as a new rule</p>}
    </>
  )
}

interface EditedByProps {
  site: DashboardSite
  version: Version
  /** Whether it follows other words. */
  isWithin?: boolean
}

/** The author of a version: its editor or, for an accepted proposal, its proposer and who accepted it. */
export function MadeBy({ site, version }: Omit<EditedByProps, 'isWithin'>): JSX.Element {
  const { editedBy, proposedBy, proposer } = version
  if (proposedBy === null || proposedBy === editedBy) return <EditedBy site={site} version={version} />
  return (
    <>
      <Person site={site} id={proposedBy} person={proposer} isWithin={false} />
      {', accepted by '}
      <EditedBy site={site} version={version} isWithin />
    </>
  )
}

/** The editor of a version. An edit with a key counts as its creator's. */
export function EditedBy({ site, version, isWithin = false }: EditedByProps): JSX.Element {
  const { editedBy, editor } = version
  return <Person site={site} id={editedBy} person={editor} isWithin={isWithin} />
}

interface PersonProps extends Required<Pick<EditedByProps, 'site' | 'isWithin'>> {
  /** Null without an account. */
  id: string | null
  /** Null once the account is deleted. */
  person: Version['editor']
}

function Person({ site, id, person, isWithin }: PersonProps): JSX.Element {
  if (id === null) return <span>{isWithin ? 'someone without an account' : 'Someone without an account'}</span>
  if (id === site.user.userId) return <span>{isWithin ? 'you' : 'You'}</span>
  if (person === null) return <span>{isWithin ? 'a deleted account' : 'A deleted account'}</span>
  return (
    <bdi title={attribute(person.email)} safe>
      {personName(person)}
    </bdi>
  )
}
