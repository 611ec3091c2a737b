/** @jsxImportSource @kitajs/html */

import type { OpenRule } from '../../../src/policies/draft/draft.ts'
import { CONDITION_BOUNDS } from '../../../src/policies/operators.ts'
import { POLICY_BOUNDS } from '../../../src/policies/shapes.ts'
import { attribute } from '../../parts/layout.tsx'
import { AddButtons, ConditionFields } from './condition.tsx'
import { type BuilderProps, Notes } from './parts.tsx'
import { TabAddButtons, TabFields } from './tab-fields.tsx'

interface OpenProps {
  rule: OpenRule
  path: string
  at: number
  builder: BuilderProps
}

/** The fields of an open rule. */
export function OpenFields({ rule, path, at, builder }: OpenProps): JSX.Element {
  const { id, name, showBadge, when, tabs } = rule
  const { findings } = builder
  return (
    <>
      {id === '' ? '' : <input type="hidden" name={`${path}.id`} value={attribute(id)} />}
      <Notes place={`${path}.name`} findings={findings} />
      <section class="part">
        <h3>When</h3>
        <ConditionFields condition={when} path={`${path}.when`} number="" depth={0} builder={builder} />
        {'of' in when ? (
          ''
        ) : (
          <AddButtons path={`${path}.when`} builder={builder} mayAdd={true} mayGroup={CONDITION_BOUNDS.depth > 1} />
        )}
      </section>
      <section class="part">
        <h3>
          They get <span class="hint" safe>{`${tabs.length} of ${POLICY_BOUNDS.tabs} tabs`}</span>
        </h3>
        <Notes place={`${path}.tabs`} findings={findings} />
        <ol class="tab-fields">
          {
            tabs.map((tab, index) => (
              <TabFields tab={tab} rule={at} at={index} last={tabs.length - 1} builder={builder} />
            )) as 'safe'[]
          }
        </ol>
        <TabAddButtons at={at} tabs={tabs} builder={builder} />
      </section>
      <p class="badge-field">
        {showBadge === undefined ? '' : <input type="hidden" name={`${path}.showBadge`} value="false" />}
        <label class="check">
          <input type="checkbox" name={`${path}.showBadge`} value="true" checked={showBadge === true} />
          <span>
            Show them <bdi safe>{`“For: ${name.trim() || 'name of the rule'}”`}</bdi> on the page
          </span>
        </label>
      </p>
    </>
  )
}
