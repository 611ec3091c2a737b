/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { CONTENT, TEXT_NAMES } from '../../../src/bundles/content.ts'
import { type BundleDiff, isSame } from '../../../src/bundles/diff.ts'
import { LinkEntries } from './link-diff.tsx'
import { RuleEntry } from './rule-diff.tsx'
import { TextDiff } from './text-diff.tsx'

/** What differs between two states of a bundle, field by field, link by link and rule by rule. */
export function Diff({ diff }: { diff: BundleDiff }): JSX.Element {
  if (isSame(diff)) return <p class="hint">No differences.</p>
  const parts = {
    fields: <Texts fields={diff.fields} />,
    links: <Links links={diff.links} />,
    rules: <Rules rules={diff.rules} />,
  } satisfies Record<keyof BundleDiff, JSX.Element>
  return <div class="diff">{Object.values(parts) as 'safe'[]}</div>
}

function Texts({ fields }: Pick<BundleDiff, 'fields'>): JSX.Element {
  return (
    <>
      {
        TEXT_NAMES.map((name) => {
          const change = fields[name]
          if (change === undefined) return ''
          return (
            <Part name={CONTENT[name].label}>
              <p>
                <TextDiff {...change} />
              </p>
            </Part>
          )
        }) as 'safe'[]
      }
    </>
  )
}

function Links({ links }: Pick<BundleDiff, 'links'>): JSX.Element {
  if (links.length === 0) return ''
  return (
    <Part name={CONTENT.urls.label}>
      <LinkEntries entries={links} />
    </Part>
  )
}

function Rules({ rules }: Pick<BundleDiff, 'rules'>): JSX.Element {
  if (rules.length === 0) return ''
  return (
    <Part name={CONTENT.resolutionPolicy.label}>
      <ul class="entries">{rules.map((entry) => <RuleEntry entry={entry} />) as 'safe'[]}</ul>
    </Part>
  )
}

function Part({ name, children }: PropsWithChildren<{ name: string }>): JSX.Element {
  return (
    <div class="facet">
      <h3>{name as 'safe'}</h3>
      {children as 'safe'}
    </div>
  )
}
