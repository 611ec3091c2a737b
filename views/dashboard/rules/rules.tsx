/** @jsxImportSource @kitajs/html */
import type { Policy } from '../../../db/policy.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { routes } from '../../../src/core/routes.ts'
import { count } from '../../../src/core/words.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import { type Draft, ownTabs, type Source } from '../../../src/policies/draft/draft.ts'
import type { Removed, STARTS } from '../../../src/policies/draft/edits.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { POLICY_BOUNDS } from '../../../src/policies/shapes.ts'
import { Field, textareaContent } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Sample } from '../parts/lists.tsx'
import { type DashboardSite, Empty } from '../parts/shell.tsx'
import { Overall } from './follow.tsx'
import { type BuilderProps, type RuleShares, ShareOfViews } from './parts.tsx'
import { RulesRead } from './read.tsx'
import { nameOf, RuleCard } from './rule.tsx'

interface RulesProps {
  draft: Draft
  removed: Removed | null
  builder: BuilderProps
}

export function RuleFields({ draft: { rules }, removed, builder }: RulesProps): JSX.Element {
  const isFull = rules.length >= POLICY_BOUNDS.rules
  return (
    <>
      <input type="hidden" name="mode" value="builder" />
      {removed !== null && <Undo removed={removed} builder={builder} />}
      {rules.length === 0 ? (
        <NoRules builder={builder} />
      ) : (
        <>
          <ol class="rules" id="rule-list">
            <Each
              of={rules}
              show={(rule, at) => <RuleCard rule={rule} at={at} last={rules.length - 1} builder={builder} />}
            />
          </ol>
          <div class="adds cluster">
            <button type="submit" class="quiet" name="do" value="rule.add" id="add" disabled={isFull}>
              <Icon name="plus" />
              Add a rule
            </button>
            {isFull && <span class="hint">You can have at most {POLICY_BOUNDS.rules} rules.</span>}
          </div>
          <Fallthrough {...builder} />
        </>
      )}
    </>
  )
}

function Undo({ removed, builder }: { removed: Removed; builder: BuilderProps }): JSX.Element {
  return (
    <div class="flash cluster">
      <p dir="auto" safe>{`Removed “${nameOf({ json: removed.json }, removed.at)}”.`}</p>
      <input type="hidden" name="removed.at" value={String(removed.at)} />
      <input type="hidden" name="removed.json" value={attribute(JSON.stringify(removed.json))} />
      <button type="submit" class="quiet" name="do" value="rule.undo" id="undo" autofocus={builder.focus === 'undo'}>
        Undo
      </button>
    </div>
  )
}

/** The words of the starter rules; null for one that fits no viewer of this bundle. */
function startTexts({ organization }: Pick<BuilderProps, 'organization'>): Record<keyof typeof STARTS, string | null> {
  return {
    domain: 'People with an address at …',
    members: organization === undefined ? null : `Members of ${organization}`,
    phone: 'On a phone',
    hours: 'Office hours',
  }
}

function NoRules({ builder }: { builder: BuilderProps }): JSX.Element {
  return (
    <Empty
      heading="Everyone gets the same tabs"
      text="Rules show different tabs to different people: internal pages to colleagues, the app to phones, an offer to a campaign. They’re checked from the top, and the first match wins."
    >
      <p class="actions">
        <button type="submit" class="primary" name="do" value="rule.add" id="add">
          <Icon name="plus" />
          Add a rule
        </button>
      </p>
      <p class="hint">Or start with one of these:</p>
      <p class="actions">
        {Object.entries(startTexts(builder)).map(([kind, text]) =>
          text === null ? (
            ''
          ) : (
            <button type="submit" class="small" name="do" value={`rule.start ${kind}`} dir="auto" safe>
              {text}
            </button>
          ),
        )}
      </p>
      <SampleRules />
    </Empty>
  )
}

function Fallthrough({ own, shares, icons = {} }: BuilderProps): JSX.Element {
  return (
    <div class="fallthrough cluster">
      <p>
        <strong>Otherwise</strong>
        <span aria-hidden="true"> →</span>
        <span safe>{` the ${count(own.length, 'default tab')}`}</span>
      </p>
      <ShareOfViews share={shares?.get('')} />
      <span class="tab-tiles">
        <Each of={own} show={({ url }) => <Tile url={url} icon={iconOf(url, icons)} />} />
      </span>
    </div>
  )
}

const POLICY: Policy = {
  version: 1,
  rules: [
    {
      id: 'sample-team',
      name: 'Our team',
      when: { op: 'equals', field: 'emailDomain', value: 'acme.com' },
      tabs: [{ url: 'https://intranet.example/' }, { url: 'https://wiki.example/' }],
    },
    {
      id: 'sample-phone',
      name: 'On a phone',
      when: { op: 'equals', field: 'device', value: 'mobile' },
      tabs: [{ url: 'https://app.example/' }],
    },
  ],
}
const NO_FINDINGS = { notes: new Map(), marks: new Map(), reasons: new Map(), absent: {} }

/** A sample of the page, shown until there are rules. */
function SampleRules(): JSX.Element {
  return (
    <Sample caption="An example of rules">
      <RulesRead policy={POLICY} findings={NO_FINDINGS} />
    </Sample>
  )
}

/** The rules being edited. */
export interface RulesEditorState {
  source: Source
  /** The errors of JSON text, each with its line and path. */
  wrong: readonly string[]
  removed: Removed | null
  /** The bundle's version from which the form was made. */
  version: number
  /** Whether the rules differ from the saved ones. */
  isChanged: boolean
  /** The path of the field or button to focus. */
  focus: string
  /** The result of a button, for screen readers. */
  announcement: string
}

interface SectionProps {
  site: DashboardSite
  editor: RulesEditorState
  bundle: StoredBundle
  findings: Findings
  shares: RuleShares
  icons: SiteIcons
}

/** The rules as form fields or as JSON; the response to an edit replaces this section. */
export function RulesSection({ site, editor, bundle, findings, shares, icons }: SectionProps): JSX.Element {
  const { source, wrong, removed, focus, announcement } = editor
  const isJson = 'json' in source
  const { acting } = site.user
  const owner = bundle.owner.type === 'organization' && acting !== null ? { organization: acting.name } : {}
  const own = ownTabs(bundle)
  const builder: BuilderProps = { findings, focus, own, variables: bundle.variables, shares, icons, ...owner }
  return (
    <section id="rules" aria-labelledby="rules-title" tabindex="-1" data-announcement={attribute(announcement)}>
      <div class="rules-title">
        <h2 id="rules-title">Rules</h2>
        <span class="switch segments">
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
      <p class="hint overall" id="overall">
        {!isJson && <Overall draft={source.draft} own={own} />}
      </p>
      {isJson ? (
        <JsonField text={source.json} wrong={wrong} focus={focus} />
      ) : (
        <RuleFields draft={source.draft} removed={removed} builder={builder} />
      )}
    </section>
  )
}

interface JsonProps extends Pick<RulesEditorState, 'wrong' | 'focus'> {
  text: string
}

function JsonField({ text, wrong, focus }: JsonProps): JSX.Element {
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
        {textareaContent(text)}
      </textarea>
      <div id="json-state">
        <JsonErrors wrong={wrong} />
      </div>
    </Field>
  )
}

export function JsonErrors({ wrong }: { wrong: readonly string[] }): JSX.Element {
  return (
    <Each
      of={wrong}
      show={(text) => (
        <p class="note error">
          <Icon name="alert" />
          <span safe>{text}</span>
        </p>
      )}
    />
  )
}

/** The notice of unsaved changes; empty if there are none. */
export function Unsaved({ isChanged, slug }: { isChanged: boolean; slug: string }): JSX.Element {
  if (!isChanged) return ''
  return (
    <>
      Unsaved changes.{' '}
      <a href={routes.bundle.rules.href({ slug })} data-discard="">
        Discard
      </a>
    </>
  )
}
