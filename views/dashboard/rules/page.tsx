/** @jsxImportSource @kitajs/html */

import type { Children } from '@kitajs/html'
import type { Policy } from '../../../db/policy.ts'
import { BOUNDS } from '../../../src/bundles/bounds.ts'
import type { StoredBundle } from '../../../src/bundles/roles.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { toRule } from '../../../src/policies/draft/draft.ts'
import type { Findings, TestResult } from '../../../src/policies/draft/findings.ts'
import type { People, TestViewer } from '../../../src/policies/draft/test-viewer.ts'
import { Each } from '../../parts/each.tsx'
import { Alert } from '../../parts/fields.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { FACT_WORDS, FACTS, topicOfVariable, variableWords } from './facts.ts'
import { idOf, type RuleShares } from './parts.tsx'
import { RulesRead } from './read.tsx'
import { type RulesEditorState, RulesSection, Unsaved } from './section.tsx'
import { Tester } from './tester.tsx'

export interface PolicyProps {
  site: DashboardSite
  bundle: StoredBundle
  /** Null for visitors who may only read. */
  editor: RulesEditorState | null
  people: People
  viewer: TestViewer
  testResult: TestResult
  findings: Findings
  shares: RuleShares
  /** Those of the sites of the default tabs. */
  icons: SiteIcons
  /** Why the rules were not saved. */
  alert: string | null
  /** Someone else's saved changes, compared with the form. */
  conflict: Children
  /** Whether saving drops rules that they have saved: then its button is not the loud one. */
  isLosing: boolean
  /** The browser's time zone, sent by its script. */
  zone: string
}

/** The rules page of a bundle: edit, read and test rules. */
export function PolicyView(props: PolicyProps): JSX.Element {
  const { site, bundle, editor, people, viewer, testResult, findings, alert, conflict } = props
  const path = `/dashboard/links/${bundle.slug}/policy`
  return (
    <BundleFrame site={site} bundle={bundle} tab="policy">
      <Alert text={alert} />
      <form
        id="policy"
        class="policy split"
        method="post"
        action={path}
        enctype="multipart/form-data"
        novalidate
        hx-sync="this:replace"
      >
        {/* Enter in a field presses the form's first button, so this one changes nothing. */}
        <button
          class="visually-hidden"
          type="submit"
          name="do"
          value="refresh"
          tabindex="-1"
          aria-label="Update the form"
        ></button>
        <input type="hidden" name="zone" value={attribute(props.zone)} data-zone="" />
        {conflict}
        {editor === null ? (
          <section aria-labelledby="rules-title">
            <h2 id="rules-title">Rules</h2>
            <ReadRules bundle={bundle} findings={findings} shares={props.shares} />
          </section>
        ) : (
          <Written {...props} editor={editor} />
        )}
        <Tester
          site={site}
          people={people}
          variables={bundle.variables}
          viewer={viewer}
          findings={findings}
          testResult={testResult}
        />
        <Suggestions editor={editor} bundle={bundle} />
        <div
          id="check"
          hx-post={path}
          hx-vals='{"do":"check"}'
          hx-trigger="input delay:350ms from:#policy, change delay:100ms from:#policy"
          hx-target="#verdict"
          hx-sync="this:replace"
        ></div>
      </form>
    </BundleFrame>
  )
}

function ReadRules({ bundle, findings, shares }: Pick<PolicyProps, 'bundle' | 'findings' | 'shares'>): JSX.Element {
  const { resolutionPolicy: policy } = bundle
  if (policy === null || policy.rules.length === 0) {
    return <Empty heading="Everyone gets the same tabs" text="This bundle has no rules." />
  }
  return <RulesRead policy={policy} findings={findings} variables={bundle.variables} shares={shares} />
}

function Written({
  editor,
  bundle,
  findings,
  shares,
  icons,
  isLosing,
}: PolicyProps & { editor: RulesEditorState }): JSX.Element {
  const path = `/dashboard/links/${bundle.slug}/policy`
  return (
    <div class="written stack">
      <input type="hidden" name="version" value={String(editor.version)} />
      <RulesSection editor={editor} bundle={bundle} findings={findings} shares={shares} icons={icons} />
      <div class="bar cluster">
        <button type="submit" class={isLosing ? '' : 'primary'} name="do" value="save">
          {isLosing ? 'Save mine anyway' : 'Save rules'}
        </button>
        <div id="unsaved" class="hint">
          <Unsaved isChanged={editor.isChanged} slug={bundle.slug} />
        </div>
        <a class="quiet small to-tester" href="#try">
          Try it
        </a>
      </div>
      {bundle.resolutionPolicy === null ? (
        ''
      ) : (
        <p class="cluster">
          <a class="hint" href={`${path}/clear`}>
            Clear all rules…
          </a>
        </p>
      )}
    </div>
  )
}

/** At most this many values are suggested, which are all options of a variable. */
const MAX_SUGGESTED = BOUNDS.options

/** Lists of suggested values for the tester and conditions: the values that the rules use. */
function Suggestions({ editor, bundle }: { editor: RulesEditorState | null; bundle: StoredBundle }): JSX.Element {
  const lists = [...valuesIn(editor, bundle)].map(([field, values]) => [`known-${field}`, values] as const)
  return (
    <>
      <Each
        of={[...lists, ['own', bundle.urls] as const]}
        show={([id, values]) => (
          <datalist id={idOf(id)}>
            {[...new Set(values)].slice(0, MAX_SUGGESTED).map((value) => (
              <option value={attribute(value)} />
            ))}
          </datalist>
        )}
      />
      <datalist id="zones">
        <option value="UTC" />
      </datalist>
    </>
  )
}

/** The values that rules compare each field with. */
function valuesIn(
  editor: RulesEditorState | null,
  { resolutionPolicy, variables }: StoredBundle,
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const fact of FACTS) {
    const { choices, suggestions } = FACT_WORDS[fact]
    if (choices === undefined) found.set(fact, new Set(suggestions))
  }
  for (const variable of variables) found.set(topicOfVariable(variable), new Set(variableWords(variable).suggestions))
  const rules =
    editor !== null && 'draft' in editor.source
      ? editor.source.draft.rules.map(toRule)
      : (resolutionPolicy?.rules ?? [])
  const visit = (condition: unknown): void => {
    const { of, field, op, value, values } = (condition ?? {}) as Record<string, unknown>
    if (Array.isArray(of)) for (const part of of) visit(part)
    const texts = op === 'equals' || op === 'startsWith' ? [value] : op === 'in' && Array.isArray(values) ? values : []
    for (const text of texts.slice(0, 20))
      if (typeof text === 'string' && text !== '') found.get(String(field))?.add(text)
  }
  for (const rule of rules) visit((rule as { when?: unknown } | null)?.when)
  return found
}

/** Asks for confirmation before all rules are removed. */
export function ClearView({ bundle }: { bundle: StoredBundle & { resolutionPolicy: Policy } }): JSX.Element {
  const { slug, resolutionPolicy, versionNumber, urls } = bundle
  const path = `/dashboard/links/${slug}/policy`
  return (
    <Confirm
      title="Clear all rules?"
      action={`${path}/clear`}
      button="Clear the rules"
      back={path}
      fields={<input type="hidden" name="version" value={String(versionNumber)} />}
    >
      <p safe>
        {`The ${count(resolutionPolicy.rules.length, 'rule')} of this bundle will be gone, and every viewer gets its own ${count(urls.length, 'tab')}.`}
      </p>
      <p safe>{`Version ${versionNumber} keeps the rules and can be restored.`}</p>
    </Confirm>
  )
}
