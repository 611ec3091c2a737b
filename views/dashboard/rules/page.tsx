/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { Policy } from '../../../db/policy.ts'
import type { StoredBundle } from '../../../src/bundles/access.ts'
import { count } from '../../../src/core/words.ts'
import { type Draft, type DraftTab, type opened, writtenRule } from '../../../src/dashboard/rules/draft.ts'
import type { Removed } from '../../../src/dashboard/rules/draft-edits.ts'
import { FIELDS } from '../../../src/policies/conditions.ts'
import { Alert, Field, leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { BundleFrame } from '../parts/bundle-frame.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import type { Findings, Tried } from './notes.ts'
import { type Building, idOf, StateContent } from './parts.tsx'
import { RulesRead } from './read.tsx'
import { RuleFields, RuleState } from './rules.tsx'
import { Suggestions, Tester, type TriedViewer, Verdict, VIEWER_PLACES } from './tester.tsx'

/** A text of JSON and what is wrong with it. */
interface JsonText {
  text: string
  /** Each with its exact place. */
  wrong: readonly string[]
}

/** The rules while they are written. */
export interface Writing {
  source: { draft: Draft } | { json: JsonText }
  removed: Removed | null
  /** Of the bundle that the form was made of. */
  version: number
  /** Whether anything differs from what is saved. */
  isChanged: boolean
  /** The path of the field or button where the work goes on. */
  focus: string
  said: string
}

export interface PolicyProps {
  site: DashboardSite
  bundle: StoredBundle
  /** Null for those who may only read. */
  writing: Writing | null
  viewer: TriedViewer
  tried: Tried
  findings: Findings
  /** Why the rules were not saved. */
  alert: string | null
  /** What somebody else saved first, beside what was typed. */
  conflict: JSX.Element | null
  /** The browser's time zone, as its script told. */
  zone: string
}

/** A bundle's rules: written, read and tried (decisions 11). */
export function PolicyView(props: PolicyProps): JSX.Element {
  const { site, bundle, writing, viewer, tried, findings, alert, conflict } = props
  const path = `/dashboard/links/${bundle.slug}/policy`
  return (
    <BundleFrame site={site} bundle={bundle} tab="policy">
      <Alert text={alert} />
      <form
        id="policy"
        class="policy"
        method="post"
        action={path}
        enctype="multipart/form-data"
        novalidate
        hx-sync="this:replace"
      >
        {/* Enter in a field presses the first button: this one, which changes nothing. */}
        <button
          class="said"
          type="submit"
          name="do"
          value="refresh"
          tabindex="-1"
          aria-label="Update the form"
        ></button>
        <input type="hidden" name="zone" value={attribute(props.zone)} data-zone="" />
        {(conflict ?? '') as 'safe'}
        {writing === null ? (
          <section aria-labelledby="rules-title">
            <h2 id="rules-title">Rules</h2>
            <ReadRules bundle={bundle} findings={findings} />
          </section>
        ) : (
          <Written {...props} writing={writing} />
        )}
        <Tester viewer={viewer} findings={findings} tried={tried} />
        <Suggestions asked={askedIn(writing, bundle)} own={ownTabs(bundle)} />
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

function ReadRules({ bundle, findings }: { bundle: StoredBundle; findings: Findings }): JSX.Element {
  const { resolutionPolicy: policy } = bundle
  if (policy === null || policy.rules.length === 0) {
    return <Empty heading="Everyone gets the same tabs" text="The editors of this bundle have made no rules." />
  }
  return <RulesRead policy={policy} findings={findings} />
}

function Written({ writing, bundle, findings }: PolicyProps & { writing: Writing }): JSX.Element {
  const path = `/dashboard/links/${bundle.slug}/policy`
  return (
    <div class="written">
      <input type="hidden" name="version" value={String(writing.version)} />
      <RulesSection writing={writing} bundle={bundle} findings={findings} />
      <div class="bar">
        <button type="submit" class="primary" name="do" value="save">
          Save rules
        </button>
        <div id="unsaved" class="hint">
          <Unsaved isChanged={writing.isChanged} slug={bundle.slug} />
        </div>
        <a class="quiet small to-tester" href="#try">
          Try it
        </a>
      </div>
      {bundle.resolutionPolicy === null ? (
        ''
      ) : (
        <p class="foot">
          <a class="hint" href={`${path}/clear`}>
            Clear all rules…
          </a>
        </p>
      )}
    </div>
  )
}

export function Unsaved({ isChanged, slug }: { isChanged: boolean; slug: string }): JSX.Element {
  if (!isChanged) return ''
  return (
    <>
      Not saved yet.{' '}
      <a href={`/dashboard/links/${slug}/policy`} data-discard="">
        Discard
      </a>
    </>
  )
}

interface SectionProps {
  writing: Writing
  bundle: StoredBundle
  findings: Findings
}

/** The builder, or the same as JSON: what a press of one of its buttons gives anew. */
export function RulesSection({ writing, bundle, findings }: SectionProps): JSX.Element {
  const { source, removed, focus, said } = writing
  const isJson = 'json' in source
  const building: Building = { findings, focus, own: ownTabs(bundle) }
  return (
    <section id="rules" aria-labelledby="rules-title" tabindex="-1" data-said={attribute(said)}>
      <div class="rules-title">
        <h2 id="rules-title">Rules</h2>
        <span class="switch">
          <button type="submit" name="do" value="builder" aria-pressed={isJson ? 'false' : 'true'}>
            Builder
          </button>
          <button type="submit" name="do" value="json" aria-pressed={isJson ? 'true' : 'false'}>
            JSON
          </button>
          <button type="submit" name="do" value="refresh" class="scriptless">
            Update
          </button>
        </span>
      </div>
      {isJson ? (
        <JsonField json={source.json} focus={focus} />
      ) : (
        <RuleFields draft={source.draft} removed={removed} building={building} />
      )}
    </section>
  )
}

function JsonField({ json: { text, wrong }, focus }: { json: JsonText; focus: string }): JSX.Element {
  return (
    <Field id="json" kind="json" label="The policy as JSON">
      <textarea
        id="json"
        name="json"
        rows="26"
        spellcheck="false"
        autocapitalize="off"
        autofocus={focus === 'json'}
        aria-describedby="json-state"
        aria-invalid={wrong.length > 0 ? 'true' : undefined}
        safe
      >
        {leading(text)}
      </textarea>
      <div id="json-state">
        <JsonState wrong={wrong} />
      </div>
    </Field>
  )
}

function JsonState({ wrong }: { wrong: readonly string[] }): JSX.Element {
  return (
    <>
      {
        wrong.map((text) => (
          <p class="note error">
            <Icon name="alert" />
            <span safe>{text}</span>
          </p>
        )) as 'safe'[]
      }
    </>
  )
}

/** What a pause in typing is answered with: the verdict, and beside each part of the form what is known of it. */
export function Checked({ bundle, writing, tried, findings }: PolicyProps): JSX.Element {
  const draft = writing !== null && 'draft' in writing.source ? writing.source.draft : null
  return (
    <>
      <Verdict tried={tried} />
      {writing === null ? (
        ''
      ) : (
        <Part id="unsaved">
          <Unsaved isChanged={writing.isChanged} slug={bundle.slug} />
        </Part>
      )}
      {writing !== null && 'json' in writing.source ? (
        <Part id="json-state">
          <JsonState wrong={writing.source.json.wrong} />
        </Part>
      ) : (
        ''
      )}
      {
        (draft?.rules ?? []).map((rule, at) => (
          <Part id={`rules-${at}-state`}>
            <RuleState rule={rule} at={at} findings={findings} />
          </Part>
        )) as 'safe'[]
      }
      {
        [...placesOf(draft), ...VIEWER_PLACES].map((place) => (
          <Part id={`${idOf(place)}-state`}>
            <StateContent place={place} findings={findings} />
          </Part>
        )) as 'safe'[]
      }
    </>
  )
}

/** A part of the answer that htmx puts in a place of its own. */
export function Part({ id, children }: PropsWithChildren<{ id: string }>): JSX.Element {
  return (
    <tag of="hx-partial" id={id}>
      {children as 'safe'}
    </tag>
  )
}

/** Every place of the open rules that something may be told of. */
function placesOf(draft: Draft | null): string[] {
  return (draft?.rules ?? []).flatMap((rule, at) => {
    if ('json' in rule) return []
    const path = `rules.${at}`
    const tabs = rule.tabs.map((_, tab) => `${path}.tabs.${tab}`)
    return [`${path}.name`, `${path}.tabs`, ...tabs, ...conditionPlaces(rule.when, `${path}.when`)]
  })
}

function conditionPlaces(condition: ReturnType<typeof opened>['when'], path: string): string[] {
  if (!('of' in condition)) return [path]
  return [path, ...condition.of.flatMap((part, at) => conditionPlaces(part, `${path}.of.${at}`))]
}

export function ownTabs({ urls, urlMetadata }: Pick<StoredBundle, 'urls' | 'urlMetadata'>): DraftTab[] {
  return urls.map((url, index) => ({ url, note: urlMetadata[index]?.note ?? '' }))
}

/** What is asked of each field, for whoever describes a viewer. */
function askedIn(writing: Writing | null, { resolutionPolicy }: StoredBundle): Map<string, Set<string>> {
  const asked = new Map<string, Set<string>>([
    ...FIELDS.filter((field) => field !== 'device' && field !== 'orgRole').map(
      (field) => [field, new Set<string>()] as const,
    ),
    ['os', new Set(['windows', 'macos', 'ios', 'android', 'linux'])],
    ['browser', new Set(['chrome', 'firefox', 'safari', 'edge'])],
  ])
  const rules =
    writing !== null && 'draft' in writing.source
      ? writing.source.draft.rules.map(writtenRule)
      : (resolutionPolicy?.rules ?? [])
  const visit = (condition: unknown): void => {
    const { of, field, op, value, values } = (condition ?? {}) as Record<string, unknown>
    if (Array.isArray(of)) for (const part of of) visit(part)
    const texts = op === 'equals' || op === 'startsWith' ? [value] : op === 'in' && Array.isArray(values) ? values : []
    for (const text of texts.slice(0, 20))
      if (typeof text === 'string' && text !== '') asked.get(String(field))?.add(text)
  }
  for (const rule of rules) visit((rule as { when?: unknown } | null)?.when)
  return asked
}

/** Asks once more before all rules go. */
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
