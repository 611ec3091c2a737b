/** @jsxImportSource @kitajs/html */

import type { Link } from '../../../src/bundles/diff.ts'
import type { Changes, Entry } from '../../../src/bundles/list-diff.ts'
import { destination } from '../../parts/destination.ts'
import { DiffEntry } from './diff-entry.tsx'
import { type Effort, TextDiff } from './text-diff.tsx'

/** The changes of a list of links. */
export function LinkEntries({ entries, effort }: { entries: readonly Entry<Link>[]; effort: Effort }): JSX.Element {
  return (
    <ul class="entries">
      {
        entries.map((entry) => (
          <DiffEntry entry={entry}>
            {entry.kind === 'kept' ? (
              <ChangedLink link={entry.value} changes={entry.changes} effort={effort} />
            ) : (
              <WholeLink link={entry.value} />
            )}
          </DiffEntry>
        )) as 'safe'[]
      }
    </ul>
  )
}

/** A link with all its metadata. */
export function WholeLink({ link: { url, note, section, tags, openPolicy } }: { link: Link }): JSX.Element {
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
      {section === '' ? '' : <p class="hint" dir="auto" safe>{`Section ${section}`}</p>}
      {tags.length === 0 && openPolicy === 'auto' ? (
        ''
      ) : (
        <p class="tags">
          {openPolicy === 'manual' ? <span class="tag">open manually</span> : ''}
          {tags.map((tag) => <Tag tag={tag} />) as 'safe'[]}
        </p>
      )}
    </>
  )
}

interface ChangedLinkProps {
  link: Link
  changes: Changes<Link>
  effort: Effort
}

function ChangedLink({ link, changes, effort }: ChangedLinkProps): JSX.Element {
  const { url, note, section, tags, openPolicy } = changes
  return (
    <>
      {url === undefined ? (
        <Address url={link.url} />
      ) : (
        <>
          <p class="address">
            <TextDiff {...url} effort={effort} />
          </p>
          {destination(url.to).unicode === null ? '' : <Address url={url.to} />}
        </>
      )}
      {note === undefined ? (
        ''
      ) : (
        <p>
          <span class="hint">Note </span>
          <TextDiff {...note} effort={effort} />
        </p>
      )}
      {section === undefined ? (
        ''
      ) : (
        <p>
          <span class="hint">Section </span>
          <TextDiff {...section} effort={effort} />
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
        <p class="hint">{openPolicy.to === 'manual' ? 'Open all now leaves it out' : 'Open all now opens it'}</p>
      )}
    </>
  )
}

/** A link’s URL, with its host first. */
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

/** Longer paths are folded. */
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
