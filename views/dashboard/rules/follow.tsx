/** @jsxImportSource @kitajs/html */

import { count } from '../../../src/core/words.ts'
import { iconOf } from '../../../src/icons/site.ts'
import {
  canOpen,
  type Draft,
  type DraftRule,
  type DraftTab,
  type OpenRule,
  toOpenRule,
} from '../../../src/policies/draft/draft.ts'
import { attribute, Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { type BuilderProps, field, idOf } from './parts.tsx'
import { shownHost } from './tab-fields.tsx'

// Rules that follow the bundle, in words and as its links with switches.

/** A tab by its title, its host or, while it has none, its address. */
function titleOf({ url, note = '' }: { url: string; note?: string }): string {
  return note.trim().split('\n')[0] || shownHost(url) || url
}

/** Titles that one sentence names; the others are counted. */
const MAX_NAMED = 3

/** What a rule that follows the bundle adds to it and leaves out, such as `+ Intranet` and `− Press kit`; empty if nothing. */
function changesOf({ omit, tabs }: Pick<OpenRule, 'omit' | 'tabs'>, own: readonly DraftTab[]): string[] {
  const added = tabs.map((tab) => `+\u00a0${titleOf(tab)}`)
  const left = linksOnce(own)
    .filter(({ url }) => omit.includes(url))
    .map((tab) => `−\u00a0${titleOf(tab)}`)
  return [added, left].flatMap((changes) => {
    const more = changes.length - MAX_NAMED
    return more > 0 ? [...changes.slice(0, MAX_NAMED), `${changes[0]!.slice(0, 2)}${more} more`] : changes
  })
}

/** The links of a bundle, each once. */
function linksOnce(own: readonly DraftTab[]): DraftTab[] {
  return own.filter(({ url }, at) => own.findIndex((other) => other.url === url) === at)
}

/** Rules that the sentence above them names; the others are counted. */
const MAX_SAID = 4

interface OverallProps {
  draft: Draft
  own: readonly DraftTab[]
}

/** Who gets what, in one line: “Everyone: 12 links. Colleagues: + Intranet, − Press kit.” */
export function Overall({ draft: { rules }, own }: OverallProps): JSX.Element {
  if (rules.length === 0) return ''
  const more = rules.length - MAX_SAID
  return (
    <>
      <span safe>{`Everyone: ${count(own.length, 'link')}.`}</span>
      <Each of={rules.slice(0, MAX_SAID)} show={(rule, at) => <Said rule={rule} at={at} own={own} />} />
      {more > 0 && <span safe>{` ${count(more, 'more rule')}.`}</span>}
    </>
  )
}

function Said({ rule, at, own }: { rule: DraftRule; at: number; own: readonly DraftTab[] }): JSX.Element {
  const open = toOpenRule(rule)
  const changes = changesOf(open, own)
  const name = open.name.trim() || `Rule ${at + 1}`
  return (
    <>
      {' '}
      <bdi safe>{name}</bdi>
      {': '}
      {open.base === 'none' ? (
        <span safe>{count(open.tabs.length, 'link')}</span>
      ) : (
        <bdi safe>{changes.join(', ') || 'the same'}</bdi>
      )}
      .
    </>
  )
}

/** What a closed rule gives its viewers, if it follows the bundle; the words open it. */
export function FollowLine({ rule, at, own }: { rule: DraftRule; at: number; own: readonly DraftTab[] }): JSX.Element {
  const changes = changesOf(toOpenRule(rule), own)
  return (
    <p class="hint tabs-line">
      <span aria-hidden="true">→ </span>
      {canOpen(rule) ? (
        <button type="submit" class="word" name="do" value={`rule.open ${at} tabs`}>
          <span>Follows the bundle</span>
        </button>
      ) : (
        'Follows the bundle'
      )}
      {changes.length > 0 && ': '}
      <bdi safe>{changes.join(', ')}</bdi>
    </p>
  )
}

interface BaseProps {
  rule: OpenRule
  at: number
  builder: BuilderProps
}

/** The choice between following the bundle and a list of its own. */
export function BaseChoice({ rule: { base }, at, builder: { focus } }: BaseProps): JSX.Element {
  const choices = [
    ['bundle', 'Follow the bundle'],
    ['none', 'A list of its own'],
  ] as const
  return (
    <span class="switch segments">
      <input type="hidden" name={`rules.${at}.base`} value={base} />
      {choices.map(([which, label]) => {
        const path = `rules.${at}.base.${which}`
        return (
          <button
            type="submit"
            name="do"
            value={`rule.base ${at} ${which}`}
            id={idOf(path)}
            aria-pressed={base === which ? 'true' : 'false'}
            autofocus={focus === path}
          >
            {label}
          </button>
        )
      })}
    </span>
  )
}

/** The links of the bundle, each with a switch; those that are off are left out. */
export function OwnLinks({ rule: { omit }, at, builder }: BaseProps): JSX.Element {
  const { icons = {} } = builder
  const links = linksOnce(builder.own)
  const gone = omit.filter((url) => links.every((link) => link.url !== url))
  return (
    <>
      <ol class="own-links">
        <Each
          of={links}
          show={(link, index) => {
            const path = `rules.${at}.own.${index}`
            return (
              <li>
                <input type="hidden" name={`${path}.url`} value={attribute(link.url)} />
                <label class="check">
                  <input
                    type="checkbox"
                    value="true"
                    checked={!omit.includes(link.url)}
                    {...field(`${path}.shown`, `rules.${at}.tabs`, builder)}
                  />
                  <Tile url={link.url} icon={iconOf(link.url, icons)} />
                  <bdi class="own-title" title={attribute(link.url)} safe>
                    {titleOf(link)}
                  </bdi>
                </label>
              </li>
            )
          }}
        />
      </ol>
      <Each
        of={gone}
        show={(url, index) => (
          <input type="hidden" name={`rules.${at}.own.${links.length + index}.url`} value={attribute(url)} />
        )}
      />
    </>
  )
}
