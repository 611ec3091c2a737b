/** @jsxImportSource @kitajs/html */

import type { Condition, Tab } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import { canOpen, type DraftRule, type OpenRule, opened, writtenRule } from '../../../src/dashboard/rules/draft.ts'
import { readCondition } from '../../../src/policies/conditions.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import type { Findings } from './notes.ts'
import { type Building, Do, field, idOf, StateContent } from './parts.tsx'
import { OpenFields } from './rule-fields.tsx'
import { hostOf } from './tab-fields.tsx'
import { sentenceOf } from './words.ts'

/** What a rule is called while it has no name. */
export function nameOf(rule: DraftRule, at: number): string {
  return opened(rule).name.trim() || `Rule ${at + 1}`
}

interface CardProps {
  rule: DraftRule
  at: number
  last: number
  building: Building
}

/** A rule of the builder: closed, or its fields. */
export function RuleCard({ rule, at, last, building }: CardProps): JSX.Element {
  const path = `rules.${at}`
  const name = nameOf(rule, at)
  const isOpen = !('json' in rule)
  return (
    <li class={['rule', isOpen && 'open']} id={idOf(path)} data-rule={String(at)}>
      <div class="rule-head">
        <span class="handle scripted" title="Drag to another place" data-grip="">
          <Icon name="grip" />
        </span>
        <span class="number">{at + 1}</span>
        {isOpen ? <NameField rule={rule} path={path} building={building} /> : <RuleTitle rule={rule} name={name} />}
        <span class="tools">
          {isOpen ? (
            <button type="submit" class="small" name="do" value={`rule.close ${at}`} id={idOf(`${path}.close`)}>
              Done
            </button>
          ) : (
            <EditButton rule={rule} at={at} name={name} building={building} />
          )}
          <Do
            action={`rule.up ${at}`}
            path={`${path}.up`}
            label={`Move ${name} up`}
            icon="up"
            disabled={at === 0}
            building={building}
          />
          <Do
            action={`rule.down ${at}`}
            path={`${path}.down`}
            label={`Move ${name} down`}
            icon="down"
            disabled={at === last}
            building={building}
          />
          <Do action={`rule.copy ${at}`} path={`${path}.copy`} label={`Duplicate ${name}`} icon="copy" />
          <Do action={`rule.remove ${at}`} path={`${path}.remove`} label={`Remove ${name}`} icon="trash" />
        </span>
      </div>
      <div class="state" id={`${idOf(path)}-state`}>
        <RuleState rule={rule} at={at} findings={building.findings} />
      </div>
      {isOpen ? (
        <OpenFields rule={rule} path={path} at={at} building={building} />
      ) : (
        <>
          <input type="hidden" name={`${path}.json`} value={attribute(JSON.stringify(rule.json))} />
          <TabsLine tabs={opened(rule).tabs} />
        </>
      )}
    </li>
  )
}

function RuleTitle({ rule, name }: { rule: DraftRule; name: string }): JSX.Element {
  return (
    <h3 class="name">
      <bdi safe>{name}</bdi>
      {opened(rule).showBadge === true ? <span class="tag">Badge</span> : ''}
    </h3>
  )
}

function EditButton({ rule, at, name, building }: Omit<CardProps, 'last'> & { name: string }): JSX.Element {
  const path = `rules.${at}.edit`
  if (!canOpen(rule)) return <span class="hint">Too long for this form: edit it as JSON</span>
  return (
    <button
      type="submit"
      class="small"
      name="do"
      value={`rule.open ${at}`}
      id={idOf(path)}
      autofocus={building.focus === path}
      aria-label={attribute(`Edit ${name}`)}
    >
      Edit
    </button>
  )
}

function NameField({ rule, path, building }: { rule: OpenRule; path: string; building: Building }): JSX.Element {
  return (
    <input
      class="rule-name"
      aria-label="Name of the rule"
      placeholder="Name of the rule"
      autocomplete="off"
      dir="auto"
      value={attribute(rule.name)}
      {...field(`${path}.name`, `${path}.name`, building)}
    />
  )
}

/** A rule in plain words, whether it matches, and its errors; updated while somebody types. */
export function RuleState({ rule, at, findings }: { rule: DraftRule; at: number; findings: Findings }): JSX.Element {
  const when = conditionOf(rule)
  return (
    <>
      <p class="summary" dir="auto" safe>
        {when === null ? 'Not finished yet' : sentenceOf(when)}
      </p>
      <StateContent place={`rules.${at}`} findings={findings} />
    </>
  )
}

/** The condition of a rule, where it is one already. */
function conditionOf(rule: DraftRule): Condition | null {
  const { when } = (writtenRule(rule) ?? {}) as { when?: unknown }
  const read = readCondition(when)
  return Array.isArray(read) ? null : read
}

/** Which tabs a rule gives, in a line. */
function TabsLine({ tabs }: { tabs: readonly Tab[] }): JSX.Element {
  const hosts = [...new Set(tabs.map(({ url }) => hostOf(url)).filter((host) => host !== ''))]
  const more = hosts.length - 3
  return (
    <p class="hint tabs-line">
      {count(tabs.length, 'tab') as 'safe'}
      {hosts.length === 0 ? '' : ': '}
      <bdi safe>{hosts.slice(0, 3).join(', ')}</bdi>
      {more > 0 ? <span safe>{` and ${more} more`}</span> : ''}
    </p>
  )
}
