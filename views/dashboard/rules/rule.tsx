/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Tab } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import { canOpen, conditionOf, type DraftRule, type OpenRule, toOpenRule } from '../../../src/policies/draft/draft.ts'
import { CONDITION_BOUNDS } from '../../../src/policies/operators.ts'
import { Each } from '../../parts/each.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { AddButtons } from './add-buttons.tsx'
import { ConditionFields } from './condition.tsx'
import { ActionButton, type BuilderProps, field, idOf, Notes, NotesContent, ShareOfViews } from './parts.tsx'
import { Sentence } from './sentence.tsx'
import { shownHost, TabAddButtons, TabFields } from './tab-fields.tsx'
import { summaryOf } from './words.ts'

/** A rule's name, or `Rule 2` while it has none. */
export function nameOf(rule: DraftRule, at: number): string {
  return toOpenRule(rule).name.trim() || `Rule ${at + 1}`
}

interface CardProps {
  rule: DraftRule
  at: number
  last: number
  builder: BuilderProps
}

/** A rule in the builder: closed, or open with its fields. */
export function RuleCard({ rule, at, last, builder }: CardProps): JSX.Element {
  const path = `rules.${at}`
  const name = nameOf(rule, at)
  const isOpen = !('json' in rule)
  const { id } = toOpenRule(rule)
  return (
    <li class={['rule', isOpen && 'open']} id={idOf(path)} data-rule={String(at)}>
      <div class="rule-head cluster">
        <span class="handle scripted" title="Drag to another place" data-grip="">
          <Icon name="grip" />
        </span>
        <span class="number">{at + 1}</span>
        {isOpen ? <NameField rule={rule} path={path} builder={builder} /> : <RuleTitle rule={rule} name={name} />}
        {/* A new rule has no id yet. */}
        <ShareOfViews share={id === '' ? undefined : builder.shares?.get(id)} />
        <span class="tools">
          {isOpen ? (
            <button type="submit" class="small" name="do" value={`rule.close ${at}`} id={idOf(`${path}.close`)}>
              Done
            </button>
          ) : (
            <EditButton rule={rule} at={at} name={name} builder={builder} />
          )}
          <ActionButton
            action={`rule.up ${at}`}
            path={`${path}.up`}
            label={`Move ${name} up`}
            icon="up"
            disabled={at === 0}
            builder={builder}
          />
          <ActionButton
            action={`rule.down ${at}`}
            path={`${path}.down`}
            label={`Move ${name} down`}
            icon="down"
            disabled={at === last}
            builder={builder}
          />
          <ActionButton action={`rule.copy ${at}`} path={`${path}.copy`} label={`Duplicate ${name}`} icon="copy" />
          <ActionButton action={`rule.remove ${at}`} path={`${path}.remove`} label={`Remove ${name}`} icon="trash" />
        </span>
      </div>
      <div class="state" id={`${idOf(path)}-state`}>
        <RuleSummary rule={rule} at={at} {...builder} />
      </div>
      {isOpen ? (
        <OpenFields rule={rule} path={path} at={at} builder={builder} />
      ) : (
        <>
          <input type="hidden" name={`${path}.json`} value={attribute(JSON.stringify(rule.json))} />
          <TabsLine tabs={toOpenRule(rule).tabs} at={canOpen(rule) ? at : null} />
        </>
      )}
    </li>
  )
}

function RuleTitle({ rule, name }: { rule: DraftRule; name: string }): JSX.Element {
  return (
    <h3 class="name">
      <bdi safe>{name}</bdi>
      {toOpenRule(rule).showBadge === true ? <span class="tag">Badge</span> : ''}
    </h3>
  )
}

function EditButton({ rule, at, name, builder }: Omit<CardProps, 'last'> & { name: string }): JSX.Element {
  const path = `rules.${at}.edit`
  if (!canOpen(rule)) return <span class="hint">Too long for this form: edit it as JSON</span>
  return (
    <button
      type="submit"
      class="quiet small"
      name="do"
      value={`rule.open ${at}`}
      id={idOf(path)}
      autofocus={builder.focus === path}
      aria-label={attribute(`Edit ${name}`)}
    >
      Edit
    </button>
  )
}

function NameField({ rule, path, builder }: { rule: OpenRule; path: string; builder: BuilderProps }): JSX.Element {
  return (
    <input
      class="rule-name"
      aria-label="Name of the rule"
      placeholder="Name of the rule"
      autocomplete="off"
      dir="auto"
      value={attribute(rule.name)}
      {...field(`${path}.name`, `${path}.name`, builder)}
    />
  )
}

interface SummaryProps extends Pick<BuilderProps, 'findings' | 'variables'> {
  rule: DraftRule
  at: number
}

/** A rule in plain words, whether it matches, and its errors; updated while typing. */
export function RuleSummary({ rule, at, findings, variables }: SummaryProps): JSX.Element {
  const when = conditionOf(rule)
  return (
    <>
      {when !== null && 'json' in rule && canOpen(rule) ? (
        <Sentence rule={rule} at={at} when={when} variables={variables} />
      ) : (
        <p class="summary" dir="auto" safe>
          {when === null ? 'Not finished yet' : summaryOf(when, variables)}
        </p>
      )}
      <NotesContent place={`rules.${at}`} findings={findings} />
    </>
  )
}

interface TabsLineProps {
  tabs: readonly Tab[]
  /** The rule that its words open; null if it cannot be opened. */
  at: number | null
}

function TabsLine({ tabs, at }: TabsLineProps): JSX.Element {
  const hosts = [...new Set(tabs.map(({ url }) => shownHost(url)).filter((host) => host !== ''))]
  const more = hosts.length - 3
  return (
    <p class="hint tabs-line">
      <span aria-hidden="true">→ </span>
      {at === null ? (
        escapeHtml(count(tabs.length, 'tab'))
      ) : (
        <button type="submit" class="word" name="do" value={`rule.open ${at} tabs`}>
          <span safe>{count(tabs.length, 'tab')}</span>
        </button>
      )}
      {hosts.length === 0 ? '' : ': '}
      <bdi safe>{hosts.slice(0, 3).join(', ')}</bdi>
      {more > 0 ? <span safe>{` and ${more} more`}</span> : ''}
    </p>
  )
}

interface OpenProps {
  rule: OpenRule
  path: string
  at: number
  builder: BuilderProps
}

function OpenFields({ rule, path, at, builder }: OpenProps): JSX.Element {
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
          Opens <span safe>{count(tabs.length, 'tab')}</span>
        </h3>
        <Notes place={`${path}.tabs`} findings={findings} />
        <ol class="tab-fields">
          <Each
            of={tabs}
            show={(tab, index) => <TabFields tab={tab} rule={at} at={index} last={tabs.length - 1} builder={builder} />}
          />
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
