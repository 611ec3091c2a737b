/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { Variable } from '../../../db/schema.ts'
import { CONTENT, SCALAR_NAMES, type ScalarName } from '../../../src/bundles/content.ts'
import { type BundleDiff, isSame, NO_DIFFERENCES } from '../../../src/bundles/diff.ts'
import type { Entry } from '../../../src/bundles/list-diff.ts'
import { inWords } from '../../../src/bundles/values.ts'
import { VARIABLE_LABELS, type WholeVariable } from '../../../src/bundles/variables.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { Each } from '../../parts/each.tsx'
import { ExactTime } from '../../parts/exact-time.tsx'
import { DiffEntry } from './diff-entry.tsx'
import { LinkEntries } from './link-diff.tsx'
import { RuleEntry } from './rule-diff.tsx'
import { type Effort, newEffort, TextDiff } from './text-diff.tsx'

interface DiffProps {
  diff: BundleDiff
  /** Those of both states, the later first: their labels name what rules ask. */
  named: readonly Variable[]
  /** Those of the sites that links lead to. */
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
  if (kind === 'text') return <TextDiff from={from} to={to} effort={effort} />
  return (
    <span class="text">
      <del safe>{inWords(name, from)}</del> <ins safe>{inWords(name, to)}</ins>
    </span>
  )
}

/** Two times as a whole: their digits say little. */
function TimeDiff({ from, to }: { from: string; to: string }): JSX.Element {
  return (
    <span class="text">
      {from === '' ? (
        ''
      ) : (
        <del>
          <ExactTime at={from} />
        </del>
      )}
      {to === '' ? (
        ''
      ) : (
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

/** The changes of a variable: of one that stays its name and what differs, else all that it has. */
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
