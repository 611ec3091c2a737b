/** @jsxImportSource @kitajs/html */

import type { Condition, Tab } from '../../../db/policy.ts'
import { count } from '../../../src/core/words.ts'
import {
  canOpen,
  type Draft,
  type DraftRule,
  type DraftTab,
  type OpenRule,
  opened,
  writtenRule,
} from '../../../src/dashboard/rules/draft.ts'
import type { Removed, STARTS } from '../../../src/dashboard/rules/draft-edits.ts'
import { CONDITION_BOUNDS, readCondition } from '../../../src/policies/conditions.ts'
import { POLICY_BOUNDS } from '../../../src/policies/shapes.ts'
import { destination } from '../../parts/destination.ts'
import { leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { Empty } from '../parts/shell.tsx'
import { Adds, ConditionFields } from './condition.tsx'
import type { Findings } from './notes.ts'
import { type Building, Do, field, idOf, State, StateContent } from './parts.tsx'
import { sentenceOf } from './words.ts'

interface RulesProps {
  draft: Draft
  removed: Removed | null
  building: Building
}

/** The rules of a draft, in the order in which they are tried. */
export function RuleFields({ draft: { rules }, removed, building }: RulesProps): JSX.Element {
  const isFull = rules.length >= POLICY_BOUNDS.rules
  return (
    <>
      <input type="hidden" name="mode" value="builder" />
      {removed === null ? '' : <Undo removed={removed} building={building} />}
      {rules.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <ol class="rules" id="rule-list">
            {
              rules.map((rule, at) => (
                <RuleCard rule={rule} at={at} last={rules.length - 1} building={building} />
              )) as 'safe'[]
            }
          </ol>
          <div class="adds">
            <button type="submit" name="do" value="rule.add" id="add" disabled={isFull}>
              <Icon name="plus" />
              Add a rule
            </button>
            {isFull ? <span class="hint">{POLICY_BOUNDS.rules} rules are the most that there may be.</span> : ''}
          </div>
          <Fallthrough own={building.own} />
        </>
      )}
    </>
  )
}

function Undo({ removed, building }: { removed: Removed; building: Building }): JSX.Element {
  return (
    <div class="flash">
      <p dir="auto" safe>{`“${nameOf({ json: removed.json }, removed.at)}” is taken out.`}</p>
      <input type="hidden" name="removed.at" value={String(removed.at)} />
      <input type="hidden" name="removed.json" value={attribute(JSON.stringify(removed.json))} />
      <button type="submit" class="quiet" name="do" value="rule.undo" id="undo" autofocus={building.focus === 'undo'}>
        Undo
      </button>
    </div>
  )
}

const START_TEXTS: Record<keyof typeof STARTS, string> = {
  members: 'People of our organisation',
  phone: 'Whoever is on a phone',
  language: 'Readers of a language',
  campaign: 'Whoever comes by one link of many',
}

function NoRules(): JSX.Element {
  return (
    <Empty
      heading="Everyone gets the same tabs"
      text="Rules give some viewers other tabs: colleagues the internal pages, phones the app, a campaign its offer. They are tried from the top, and the first that holds wins."
    >
      <p class="actions">
        <button type="submit" class="primary" name="do" value="rule.add" id="add">
          <Icon name="plus" />
          Add a rule
        </button>
      </p>
      <p class="hint">Or begin with one of these:</p>
      <p class="actions">
        {Object.entries(START_TEXTS).map(([kind, text]) => (
          <button type="submit" class="small" name="do" value={`rule.start ${kind}`} safe>
            {text}
          </button>
        ))}
      </p>
    </Empty>
  )
}

function Fallthrough({ own }: { own: readonly DraftTab[] }): JSX.Element {
  return (
    <p class="fallthrough hint">
      <strong>Everyone else</strong>
      <span safe>{` gets the bundle’s own ${count(own.length, 'tab')}.`}</span>
    </p>
  )
}

/** What a rule is called while it has no name. */
function nameOf(rule: DraftRule, at: number): string {
  return opened(rule).name.trim() || `Rule ${at + 1}`
}

interface CardProps {
  rule: DraftRule
  at: number
  last: number
  building: Building
}

function RuleCard({ rule, at, last, building }: CardProps): JSX.Element {
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

/** What a rule says in plain words, whether it holds, and what is wrong with it; told anew while somebody types. */
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

/** The host of a URL as people read it; empty for what is none yet. */
function hostOf(url: string): string {
  if (!URL.canParse(url.trim())) return ''
  const { host, unicode } = destination(url.trim())
  return unicode === null ? host : `${unicode} (${host})`
}

interface OpenProps {
  rule: OpenRule
  path: string
  at: number
  building: Building
}

function OpenFields({ rule, path, at, building }: OpenProps): JSX.Element {
  const { id, name, showBadge, when, tabs } = rule
  const { findings } = building
  return (
    <>
      {id === '' ? '' : <input type="hidden" name={`${path}.id`} value={attribute(id)} />}
      <State place={`${path}.name`} findings={findings} />
      <section class="part">
        <h3>When</h3>
        <ConditionFields condition={when} path={`${path}.when`} number="" depth={0} building={building} />
        {'of' in when ? (
          ''
        ) : (
          <Adds path={`${path}.when`} building={building} mayAdd={true} mayGroup={CONDITION_BOUNDS.depth > 1} />
        )}
      </section>
      <section class="part">
        <h3>
          They get <span class="hint" safe>{`${tabs.length} of ${POLICY_BOUNDS.tabs} tabs`}</span>
        </h3>
        <State place={`${path}.tabs`} findings={findings} />
        <ol class="tab-fields">
          {
            tabs.map((tab, index) => (
              <TabFields tab={tab} rule={at} at={index} last={tabs.length - 1} building={building} />
            )) as 'safe'[]
          }
        </ol>
        <TabAdds at={at} tabs={tabs} building={building} />
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

interface TabProps {
  tab: DraftTab
  rule: number
  at: number
  last: number
  building: Building
}

function TabFields({ tab: { url, note }, rule, at, last, building }: TabProps): JSX.Element {
  const path = `rules.${rule}.tabs.${at}`
  const place = `${rule} ${at}`
  return (
    <li>
      <State place={path} findings={building.findings} />
      <input
        inputmode="url"
        aria-label={`Link of tab ${at + 1}`}
        placeholder="https://"
        list="own"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        value={attribute(url)}
        {...field(`${path}.url`, path, building)}
      />
      <textarea
        rows="1"
        aria-label={`Note of tab ${at + 1}`}
        placeholder="Note"
        dir="auto"
        {...field(`${path}.note`, path, building)}
        safe
      >
        {leading(note)}
      </textarea>
      <span class="tools">
        <Do
          action={`tab.up ${place}`}
          path={`${path}.up`}
          label={`Move tab ${at + 1} up`}
          icon="up"
          disabled={at === 0}
          building={building}
        />
        <Do
          action={`tab.down ${place}`}
          path={`${path}.down`}
          label={`Move tab ${at + 1} down`}
          icon="down"
          disabled={at === last}
          building={building}
        />
        <Do action={`tab.remove ${place}`} path={`${path}.remove`} label={`Remove tab ${at + 1}`} icon="trash" />
      </span>
    </li>
  )
}

function TabAdds({ at, tabs, building }: { at: number; tabs: readonly DraftTab[]; building: Building }): JSX.Element {
  const { own, focus } = building
  const path = `rules.${at}.tabs.add`
  const isFull = tabs.length >= POLICY_BOUNDS.tabs
  const taken = new Set(tabs.map(({ url }) => url.trim()))
  return (
    <div class="adds">
      <button
        type="submit"
        class="add"
        name="do"
        value={`tab.add ${at}`}
        id={idOf(path)}
        autofocus={focus === path}
        disabled={isFull}
      >
        <Icon name="plus" />
        Tab
      </button>
      <details class="menu picks" name="menu">
        <summary class="add">
          <Icon name="bundles" />
          From this bundle
        </summary>
        <span class="pop">
          <button type="submit" class="item" name="do" value={`tab.all ${at}`} disabled={isFull}>
            <strong>All of its links</strong>
          </button>
          {
            own.map(({ url, note }, index) => (
              <button
                type="submit"
                class="item"
                name="do"
                value={`tab.own ${at} ${index}`}
                disabled={isFull || taken.has(url)}
              >
                <span class="own">
                  <bdi safe>{note.trim().split('\n')[0] || hostOf(url)}</bdi>
                  <bdi class="hint" safe>
                    {url}
                  </bdi>
                </span>
              </button>
            )) as 'safe'[]
          }
        </span>
      </details>
    </div>
  )
}
