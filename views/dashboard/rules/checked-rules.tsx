/** @jsxImportSource @kitajs/html */

import type { Variable } from '../../../db/schema.ts'
import type { DraftCondition } from '../../../src/policies/draft/conditions.ts'
import type { Draft } from '../../../src/policies/draft/draft.ts'
import { Each } from '../../parts/each.tsx'
import { TOPIC_GROUPS, TOPIC_WORDS } from './facts.ts'
import type { PolicyProps } from './page.tsx'
import { idOf, NotesContent, OutOfBand } from './parts.tsx'
import { RuleSummary } from './rule.tsx'
import { JsonErrors, Unsaved } from './section.tsx'
import { Verdict } from './verdict.tsx'

/** The response to a check while typing: the verdict, and the notes of each part of the form. */
export function CheckedRules({ bundle, editor, testResult, findings }: PolicyProps): JSX.Element {
  const draft = editor !== null && 'draft' in editor.source ? editor.source.draft : null
  return (
    <>
      <Verdict testResult={testResult} variables={bundle.variables} />
      {editor === null ? (
        ''
      ) : (
        <OutOfBand id="unsaved">
          <Unsaved isChanged={editor.isChanged} slug={bundle.slug} />
        </OutOfBand>
      )}
      {editor !== null && 'json' in editor.source ? (
        <OutOfBand id="json-state">
          <JsonErrors wrong={editor.wrong} />
        </OutOfBand>
      ) : (
        ''
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

/** The text fields, which have notes; a choice from a list cannot be wrong. */
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
