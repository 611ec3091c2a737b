/** @jsxImportSource @kitajs/html */

import type { Draft } from '../../../src/dashboard/rules/draft.ts'
import type { DraftCondition } from '../../../src/dashboard/rules/draft-conditions.ts'
import type { PolicyProps } from './page.tsx'
import { idOf, Part, StateContent } from './parts.tsx'
import { RuleState } from './rule.tsx'
import { JsonState, Unsaved } from './section.tsx'
import { VIEWER_PLACES } from './tester.tsx'
import { Verdict } from './verdict.tsx'

/** The answer to a pause in typing: the verdict, and the notes of each part of the form. */
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
