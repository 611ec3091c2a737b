/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/access.ts'
import type { Draft, DraftTab } from '../../../src/dashboard/rules/draft.ts'
import type { Removed } from '../../../src/dashboard/rules/editing.ts'
import { Field, leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { Findings } from './notes.ts'
import type { Building } from './parts.tsx'
import { RuleFields } from './rules.tsx'

/** A text of JSON and what is wrong with it. */
interface JsonText {
  text: string
  /** Each with its exact place. */
  wrong: readonly string[]
}

/** The rules being edited. */
export interface Writing {
  source: { draft: Draft } | { json: JsonText }
  removed: Removed | null
  /** Of the bundle that the form was made of. */
  version: number
  /** Whether anything differs from what is saved. */
  isChanged: boolean
  /** The path of the field or button where the work goes on. */
  focus: string
  /** What a button did, for screen readers. */
  announcement: string
}

interface SectionProps {
  writing: Writing
  bundle: StoredBundle
  findings: Findings
}

/** The builder, or the same as JSON: what a press of one of its buttons gives anew. */
export function RulesSection({ writing, bundle, findings }: SectionProps): JSX.Element {
  const { source, removed, focus, announcement } = writing
  const isJson = 'json' in source
  const building: Building = { findings, focus, own: ownTabs(bundle) }
  return (
    <section id="rules" aria-labelledby="rules-title" tabindex="-1" data-announcement={attribute(announcement)}>
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

/** Each thing that is wrong with the text. */
export function JsonState({ wrong }: { wrong: readonly string[] }): JSX.Element {
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

/** Says that the rules are not saved, where they are not. */
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

/** The bundle's own tabs, as a rule would have them. */
export function ownTabs({ urls, urlMetadata }: Pick<StoredBundle, 'urls' | 'urlMetadata'>): DraftTab[] {
  return urls.map((url, index) => ({ url, note: urlMetadata[index]?.note ?? '' }))
}
