/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import { CONTENT, TEXT_NAMES } from '../../../src/bundles/content.ts'
import { type BundleDiff, diffLinks, isSame, type Link, type RuleState } from '../../../src/bundles/diff.ts'
import type { Changes, Entry } from '../../../src/bundles/list-diff.ts'
import { destination } from '../../parts/destination.ts'
import { conditionWords } from '../rules/condition-words.ts'
import { TextDiff } from './text-diff.tsx'

/** What differs between two states of a bundle, field by field, link by link and rule by rule. */
export function Diff({ diff }: { diff: BundleDiff }): JSX.Element {
  const { fields, links, rules } = diff
  if (isSame(diff)) return <p class="hint">Nothing differs.</p>
  return (
    <div class="diff">
      {
        TEXT_NAMES.map((name) => {
          const change = fields[name]
          return change === undefined ? (
            ''
          ) : (
            <Part name={CONTENT[name].label}>
              <p>
                <TextDiff {...change} />
              </p>
            </Part>
          )
        }) as 'safe'[]
      }
      {links.length === 0 ? (
        ''
      ) : (
        <Part name={CONTENT.urls.label}>
          <LinkEntries entries={links} />
        </Part>
      )}
      {rules.length === 0 ? (
        ''
      ) : (
        <Part name={CONTENT.resolutionPolicy.label}>
          <ul class="entries">{rules.map((entry) => <RuleEntry entry={entry} />) as 'safe'[]}</ul>
        </Part>
      )}
    </div>
  )
}

interface ConflictProps extends PropsWithChildren {
  /** What somebody else saved, against what the visitor began with. */
  theirs: BundleDiff
  /** What the visitor is about to save, against the same. */
  mine: BundleDiff
  /** Who saved it, and the version that it became. */
  by: JSX.Element
  versionNumber: number
}

/** Two edits of one version, side by side; children are what can be done about it. */
export function Conflict({ theirs, mine, by, versionNumber, children }: ConflictProps): JSX.Element {
  return (
    <section class="card caution conflict" role="alert" id="alert" tabindex="-1">
      <h2>Somebody else saved first</h2>
      <p>Nothing of yours is lost: it is below as you typed it, and not saved yet.</p>
      <div class="sides">
        <div>
          <h3>
            <span safe>{`Version ${versionNumber}, saved by `}</span>
            {by as 'safe'}
          </h3>
          <Diff diff={theirs} />
        </div>
        <div>
          <h3>Your changes</h3>
          <Diff diff={mine} />
        </div>
      </div>
      {children === undefined ? '' : <div class="actions">{children as 'safe'}</div>}
    </section>
  )
}

function Part({ name, children }: PropsWithChildren<{ name: string }>): JSX.Element {
  return (
    <div class="facet">
      <h3>{name as 'safe'}</h3>
      {children as 'safe'}
    </div>
  )
}

function LinkEntries({ entries }: { entries: readonly Entry<Link>[] }): JSX.Element {
  return (
    <ul class="entries">
      {
        entries.map((entry) => (
          <Marked entry={entry}>
            {entry.kind === 'kept' ? (
              <ChangedLink link={entry.value} changes={entry.changes} />
            ) : (
              <WholeLink link={entry.value} />
            )}
          </Marked>
        )) as 'safe'[]
      }
    </ul>
  )
}

function RuleEntry({ entry }: { entry: Entry<RuleState> }): JSX.Element {
  return (
    <Marked entry={entry}>
      {entry.kind === 'kept' ? (
        <ChangedRule rule={entry.value} changes={entry.changes} />
      ) : (
        <WholeRule rule={entry.value} />
      )}
    </Marked>
  )
}

const SIGNS = {
  added: { sign: '+', word: 'Added' },
  removed: { sign: '−', word: 'Removed' },
  changed: { sign: '~', word: 'Changed' },
  moved: { sign: '↕', word: 'Moved' },
} as const

/** An entry of a list with what became of it, as a sign and as a word, and its place, counted from 1. */
function Marked({ entry, children }: PropsWithChildren<{ entry: Entry<unknown> }>): JSX.Element {
  const kind = entry.kind !== 'kept' ? entry.kind : Object.keys(entry.changes).length > 0 ? 'changed' : 'moved'
  const { sign, word } = SIGNS[kind]
  return (
    <li class={kind}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <div class="entry">{children as 'safe'}</div>
      <span class="place hint">
        <span class="said">{`${word}, ` as 'safe'}</span>
        {place(entry) as 'safe'}
      </span>
    </li>
  )
}

function place(entry: Entry<unknown>): string {
  if (entry.kind === 'added') return `no. ${entry.to + 1}`
  if (entry.kind === 'removed') return `was no. ${entry.from + 1}`
  return entry.isMoved ? `no. ${entry.from + 1} → ${entry.to + 1}` : `no. ${entry.to + 1}`
}

function WholeLink({ link: { url, note, tags, openPolicy } }: { link: Link }): JSX.Element {
  return (
    <>
      <Address url={url} />
      {note === '' ? (
        ''
      ) : (
        <p class="text" dir="auto" safe>
          {note}
        </p>
      )}
      {tags.length === 0 && openPolicy === 'auto' ? (
        ''
      ) : (
        <p class="tags">
          {openPolicy === 'manual' ? <span class="tag">opens by hand</span> : ''}
          {tags.map((tag) => <Tag tag={tag} />) as 'safe'[]}
        </p>
      )}
    </>
  )
}

function ChangedLink({ link, changes }: { link: Link; changes: Changes<Link> }): JSX.Element {
  const { url, note, tags, openPolicy } = changes
  return (
    <>
      {url === undefined ? (
        <Address url={link.url} />
      ) : (
        <>
          <p class="address">
            <TextDiff {...url} />
          </p>
          {destination(url.to).unicode === null ? '' : <Address url={url.to} />}
        </>
      )}
      {note === undefined ? (
        ''
      ) : (
        <p>
          <span class="hint">Note </span>
          <TextDiff {...note} />
        </p>
      )}
      {tags === undefined ? (
        ''
      ) : (
        <p class="tags">
          <span class="hint">Tags</span>
          {
            tags.from
              .filter((tag) => !tags.to.includes(tag))
              .map((tag) => <del>{(<Tag tag={tag} />) as 'safe'}</del>) as 'safe'[]
          }
          {
            tags.to.map((tag) =>
              tags.from.includes(tag) ? <Tag tag={tag} /> : <ins>{(<Tag tag={tag} />) as 'safe'}</ins>,
            ) as 'safe'[]
          }
        </p>
      )}
      {openPolicy === undefined ? (
        ''
      ) : (
        <p class="hint">{openPolicy.to === 'manual' ? 'Open all leaves it out now' : 'Open all opens it now'}</p>
      )}
    </>
  )
}

function WholeRule({ rule: { name, showBadge, when, tabs } }: { rule: RuleState }): JSX.Element {
  return (
    <>
      <p class="name" dir="auto" safe>
        {name}
      </p>
      <p>
        <span class="hint">When </span>
        <span class="text" dir="auto" safe>
          {conditionWords(when)}
        </span>
      </p>
      {showBadge ? <p class="hint">Its name is shown to whoever it is for</p> : ''}
      <ol class="tabs">
        {
          tabs.map((tab) => (
            <li>
              <WholeLink link={tab} />
            </li>
          )) as 'safe'[]
        }
      </ol>
    </>
  )
}

function ChangedRule({ rule, changes }: { rule: RuleState; changes: Changes<RuleState> }): JSX.Element {
  const { id, name, showBadge, when, tabs } = changes
  return (
    <>
      <p class="name">{(<TextDiff {...(name ?? { from: rule.name, to: rule.name })} />) as 'safe'}</p>
      {when === undefined ? (
        ''
      ) : (
        <p>
          <span class="hint">When </span>
          <TextDiff from={conditionWords(when.from)} to={conditionWords(when.to)} />
        </p>
      )}
      {showBadge === undefined ? (
        ''
      ) : (
        <p class="hint">{showBadge.to ? 'Its name is shown now' : 'Its name is not shown any more'}</p>
      )}
      {tabs === undefined ? '' : <LinkEntries entries={diffLinks(tabs.from, tabs.to)} />}
      {id === undefined || id.to === '' ? '' : <p class="hint">Counted as a new rule</p>}
    </>
  )
}

/** Where a link leads, its host first. */
function Address({ url }: { url: string }): JSX.Element {
  const { href, host, unicode, path } = destination(url)
  return (
    <div class="address" dir="ltr">
      {href.startsWith('https:') ? '' : <span class="hint">http://</span>}
      <bdi class="host" safe>
        {unicode ?? host}
      </bdi>
      {unicode === null ? '' : <bdi class="hint" safe>{` (${host})`}</bdi>}
      <Path path={path} />
    </div>
  )
}

/** A longer path is read whole only by who asks for it. */
const PATH_LENGTH = 160

function Path({ path }: { path: string }): JSX.Element {
  const rest = path.slice(PATH_LENGTH)
  return (
    <>
      <bdi class="hint" safe>
        {path.slice(0, PATH_LENGTH)}
      </bdi>
      {rest === '' ? (
        ''
      ) : (
        <details class="rest hint">
          <summary>{`and ${rest.length} more characters` as 'safe'}</summary>
          <bdi safe>{rest}</bdi>
        </details>
      )}
    </>
  )
}

function Tag({ tag }: { tag: string }): JSX.Element {
  return (
    <span class="tag" dir="auto" safe>
      {tag}
    </span>
  )
}
