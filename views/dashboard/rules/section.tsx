/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/roles.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { ownTabs, type Source } from '../../../src/policies/draft/draft.ts'
import type { Removed } from '../../../src/policies/draft/edits.ts'
import type { Findings } from '../../../src/policies/draft/findings.ts'
import { Each } from '../../parts/each.tsx'
import { Field, textareaContent } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { BuilderProps, RuleShares } from './parts.tsx'
import { RuleFields } from './rules.tsx'

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
  /** What a button did, for screen readers. */
  announcement: string
}

interface SectionProps {
  editor: RulesEditorState
  bundle: StoredBundle
  findings: Findings
  shares: RuleShares
  icons: SiteIcons
}

/** The rules as form fields or as JSON; the response to an edit replaces this section. */
export function RulesSection({ editor, bundle, findings, shares, icons }: SectionProps): JSX.Element {
  const { source, wrong, removed, focus, announcement } = editor
  const isJson = 'json' in source
  const builder: BuilderProps = { findings, focus, own: ownTabs(bundle), variables: bundle.variables, shares, icons }
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
      <a href={`/dashboard/links/${slug}/policy`} data-discard="">
        Discard
      </a>
    </>
  )
}
