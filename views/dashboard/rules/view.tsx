/** @jsxImportSource @kitajs/html */
import type { Children } from '@kitajs/html'
import type { Policy } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import type { DraftCondition } from '../../../src/policies/draft/conditions.ts'
import { type Draft, ownTabs, type People, type TestViewer, toRule } from '../../../src/policies/draft/draft.ts'
import type { Findings, TestResult } from '../../../src/policies/draft/findings.ts'
import { Alert } from '../../parts/fields.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Confirm } from '../parts/form.tsx'
import { FACT_WORDS, FACTS, TOPIC_GROUPS, TOPIC_WORDS, topicOfVariable, variableWords } from '../parts/rules/facts.ts'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { Overall } from './follow.tsx'
import { idOf, NotesContent, OutOfBand, type RuleShares } from './parts.tsx'
import { RulesRead } from './read.tsx'
import { ReasonContent, reasonId } from './reason.tsx'
import { RuleSummary } from './rule.tsx'
import { JsonErrors, type RulesEditorState, RulesSection, Unsaved } from './rules.tsx'
import { Tester, Verdict } from './tester.tsx'

export interface PolicyProps {
  site: DashboardSite
  bundle: StoredBundle
  /** Null for visitors who can only read. */
  editor: RulesEditorState | null
  people: People
  viewer: TestViewer
  testResult: TestResult
  findings: Findings
  shares: RuleShares
  /** Icons for the sites of the default tabs. */
  icons: SiteIcons
  /** Why the rules were not saved. */
  alert: string | null
  /** Someone else's saved changes, compared with the form. */
  conflict: Children
  /** Whether saving discards rules that they have saved: then its button is not prominent. */
  isLosing: boolean
  /** The browser's time zone, sent by its script. */
  zone: string
}

/** The alert for errors that the rules show themselves: it gives way to a marked field, which gets the focus. */
export const NOT_SAVED = 'Not saved yet. Fix what’s marked below; nothing you typed is lost.'

/** The rules page of a bundle: edit, read and test rules. */
export function PolicyView(props: PolicyProps): JSX.Element {
  const { site, bundle, editor, people, viewer, testResult, findings, alert, conflict } = props
  const path = routes.bundle.rules.href({ slug: bundle.slug })
  return (
    <BundleFrame site={site} bundle={bundle} tab="policy">
      {alert === NOT_SAVED ? (
        <div class="marked">
          <Alert text={alert} />
        </div>
      ) : (
        <Alert text={alert} />
      )}
      <form
        id="policy"
        class="policy split"
        method="post"
        action={path}
        enctype="multipart/form-data"
        novalidate
        data-live=""
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
          isJson={isJson(props)}
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
  return <RulesRead policy={policy} own={bundle} findings={findings} variables={bundle.variables} shares={shares} />
}

function Written({
  site,
  editor,
  bundle,
  findings,
  shares,
  icons,
  isLosing,
}: PolicyProps & { editor: RulesEditorState }): JSX.Element {
  const path = routes.bundle.rules.href({ slug: bundle.slug })
  return (
    <div class="written stack">
      <input type="hidden" name="version" value={String(editor.version)} />
      <RulesSection site={site} editor={editor} bundle={bundle} findings={findings} shares={shares} icons={icons} />
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
      {bundle.resolutionPolicy !== null && (
        <p class="cluster">
          <a class="hint" href={`${path}/clear`}>
            Clear all rules…
          </a>
        </p>
      )}
    </div>
  )
}

/** The maximum number of suggested values, which covers all options of a variable. */
const MAX_SUGGESTED = BOUNDS.options

/** Lists of suggested values for the tester and conditions: the values in the rules. */
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

/** The values with which rules compare each field. */
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
  const path = routes.bundle.rules.href({ slug })
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

/** Whether the page shows the rules as JSON. */
export const isJson = ({ editor }: PolicyProps): boolean => editor !== null && 'json' in editor.source

/** The response to a check while typing: the verdict, and the notes for each part of the form. */
export function CheckedRules(props: PolicyProps): JSX.Element {
  const { bundle, testResult } = props
  return (
    <>
      <Verdict testResult={testResult} variables={bundle.variables} isJson={isJson(props)} />
      <CheckedParts {...props} />
    </>
  )
}

/** The same without the verdict. */
export function CheckedParts(props: PolicyProps): JSX.Element {
  const { bundle, editor, findings } = props
  const draft = editor !== null && 'draft' in editor.source ? editor.source.draft : null
  return (
    <>
      {editor !== null && (
        <OutOfBand id="unsaved">
          <Unsaved isChanged={editor.isChanged} slug={bundle.slug} />
        </OutOfBand>
      )}
      {draft !== null && (
        <OutOfBand id="overall">
          <Overall draft={draft} own={ownTabs(bundle)} />
        </OutOfBand>
      )}
      {editor !== null && 'json' in editor.source && (
        <OutOfBand id="json-state">
          <JsonErrors wrong={editor.wrong} />
        </OutOfBand>
      )}
      <Each
        of={draft?.rules ?? []}
        show={(rule, at) => (
          <OutOfBand id={`rules-${at}-state`}>
            <RuleSummary rule={rule} at={at} findings={findings} variables={bundle.variables} />
          </OutOfBand>
        )}
      />
      <Each
        of={closedRules(props)}
        show={(place) => (
          <OutOfBand id={reasonId(place)}>
            <ReasonContent place={place} findings={findings} variables={bundle.variables} />
          </OutOfBand>
        )}
      />
      <Each
        of={[...placesOf(draft), ...viewerPlaces(bundle.variables)]}
        show={(place) => (
          <OutOfBand id={`${idOf(place)}-state`}>
            <NotesContent place={place} findings={findings} />
          </OutOfBand>
        )}
      />
    </>
  )
}

/** The paths of the rules that show why they match beside them: all rules of readers, and those that are closed of editors. */
function closedRules({ bundle, editor }: PolicyProps): string[] {
  if (editor === null) return (bundle.resolutionPolicy?.rules ?? []).map((_, at) => `rules.${at}`)
  if ('json' in editor.source) return []
  return editor.source.draft.rules.flatMap((rule, at) => ('json' in rule ? [`rules.${at}`] : []))
}

/** Every path of the open rules that can have notes. */
function placesOf(draft: Draft | null): string[] {
  return (draft?.rules ?? []).flatMap((rule, at) => {
    if ('json' in rule) return []
    const path = `rules.${at}`
    const tabs = rule.tabs.map((_, tab) => `${path}.tabs.${tab}`)
    return [`${path}.name`, `${path}.tabs`, ...tabs, ...conditionPlaces(rule.when, `${path}.when`)]
  })
}

function conditionPlaces(condition: DraftCondition, path: string): string[] {
  if (!('of' in condition)) return [path]
  return [path, ...condition.of.flatMap((part, at) => conditionPlaces(part, `${path}.of.${at}`))]
}

/** The text fields, which have notes; a choice from a list cannot be invalid. */
const TYPED = [
  ...TOPIC_GROUPS.flatMap(({ topics }) => topics).filter(
    (topic) => topic !== 'signedIn' && topic !== 'timeWindow' && TOPIC_WORDS[topic].choices === undefined,
  ),
  'zone',
]

/** The places of the tester’s notes. */
function viewerPlaces(variables: readonly Variable[]): string[] {
  return [...TYPED, ...variables.map(({ name }) => `values.${name}`)].map((name) => `viewer.${name}`)
}
