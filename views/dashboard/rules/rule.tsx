/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import type { Condition, Tab } from '../../../db/policy.ts'
import type { Variable } from '../../../db/schema.ts'
import { count } from '../../../src/core/words.ts'
import { leavesOf } from '../../../src/policies/draft/conditions.ts'
import { canOpen, conditionOf, type DraftRule, type OpenRule, toOpenRule } from '../../../src/policies/draft/draft.ts'
import { CONDITION_BOUNDS } from '../../../src/policies/operators.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { phrasesOf, summaryOf } from '../parts/rules/words.ts'
import { AddButtons, ConditionFields } from './condition.tsx'
import { BaseChoice, FollowLine, OwnLinks } from './follow.tsx'
import { ActionButton, type BuilderProps, field, idOf, Notes, NotesContent, ShareOfViews } from './parts.tsx'
import { RuleReason } from './reason.tsx'
import { shownHost, TabAddButtons, TabFields } from './tab-fields.tsx'

/** A rule's name, or `Rule 2` without one. */
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
          {toOpenRule(rule).base === 'bundle' ? (
            <FollowLine rule={rule} at={at} own={builder.own} />
          ) : (
            <TabsLine tabs={toOpenRule(rule).tabs} at={canOpen(rule) ? at : null} />
          )}
          <RuleReason place={path} {...builder} />
        </>
      )}
    </li>
  )
}

function RuleTitle({ rule, name }: { rule: DraftRule; name: string }): JSX.Element {
  return (
    <h3 class="name">
      <bdi safe>{name}</bdi>
      {toOpenRule(rule).showBadge === true && <span class="tag">Badge</span>}
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

/** A rule in plain words, with its match and its errors; updated while typing. */
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
  /** The rule that a click on the words opens; null if it cannot be opened. */
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
      {hosts.length > 0 && ': '}
      <bdi safe>{hosts.slice(0, 3).join(', ')}</bdi>
      {more > 0 && <span safe>{` and ${more} more`}</span>}
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
  const { id, name, showBadge, when, base, tabs } = rule
  const { findings } = builder
  const isFollowing = base === 'bundle'
  return (
    <>
      {id !== '' && <input type="hidden" name={`${path}.id`} value={attribute(id)} />}
      <Notes place={`${path}.name`} findings={findings} />
      <section class="part">
        <h3>When</h3>
        <ConditionFields condition={when} path={`${path}.when`} number="" depth={0} builder={builder} />
        {!('of' in when) && (
          <AddButtons path={`${path}.when`} builder={builder} mayAdd={true} mayGroup={CONDITION_BOUNDS.depth > 1} />
        )}
      </section>
      <section class="part">
        <div class="opens cluster">
          <h3>{isFollowing ? 'Opens' : <>Opens {escapeHtml(count(tabs.length, 'tab'))}</>}</h3>
          <BaseChoice rule={rule} at={at} builder={builder} />
        </div>
        <Notes place={`${path}.tabs`} findings={findings} />
        {isFollowing && <OwnLinks rule={rule} at={at} builder={builder} />}
        <ol class="tab-fields">
          <Each
            of={tabs}
            show={(tab, index) => <TabFields tab={tab} rule={at} at={index} last={tabs.length - 1} builder={builder} />}
          />
        </ol>
        <TabAddButtons at={at} rule={rule} builder={builder} />
      </section>
      <p class="badge-field">
        {showBadge !== undefined && <input type="hidden" name={`${path}.showBadge`} value="false" />}
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

interface SentenceProps {
  rule: DraftRule
  at: number
  when: Condition
  variables: readonly Variable[]
}

/** The condition of a closed rule as a sentence whose phrases open their controls. */
function Sentence({ rule, at, when, variables }: SentenceProps): JSX.Element {
  return (
    <p class="summary" dir="auto">
      <Each
        of={piecesOf(rule, when, variables)}
        show={({ text, path, tail }) =>
          path === null ? (
            <span safe>{text}</span>
          ) : (
            <button type="submit" class="word" name="do" value={attribute(`rule.open ${at} ${path}`)}>
              <span safe>{text}</span>
              {tail !== '' && <i aria-hidden="true">{escapeHtml(tail)}</i>}
            </button>
          )
        }
      />
    </p>
  )
}

interface Piece {
  text: string
  /** The path of its condition; null for text between conditions. */
  path: string | null
  /**
   * Characters that must not begin a line: a comma or a bracket. They are inside the button, which is a block once it has two
   * lines.
   */
  tail: string
}

function piecesOf(rule: DraftRule, when: Condition, variables: readonly Variable[]): Piece[] {
  const sentence = summaryOf(when, variables)
  const phrases = phrasesOf(when, variables)
  const leaves = leavesOf(toOpenRule(rule).when, ['when'])
  if (leaves.length !== phrases.length) return [{ text: sentence, path: null, tail: '' }]
  // The sentence begins with a capital letter.
  const plain = (phrases[0]?.[0] ?? '') + sentence.slice(1)
  const pieces: Piece[] = []
  let end = 0
  for (const [index, phrase] of phrases.entries()) {
    const start = plain.indexOf(phrase, end)
    // A long sentence omits some phrases.
    if (start === -1) continue
    if (start > end) pieces.push({ text: sentence.slice(end, start), path: null, tail: '' })
    end = start + phrase.length
    const [tail = ''] = /^[,)]*/.exec(plain.slice(end)) ?? []
    pieces.push({ text: sentence.slice(start, end), path: leaves[index]?.[1].join('.') ?? null, tail })
    end += tail.length
  }
  return end < sentence.length ? [...pieces, { text: sentence.slice(end), path: null, tail: '' }] : pieces
}
