/** @jsxImportSource @kitajs/html */

import type { Changes, Entry } from '../../../../src/bundles/content/diff.ts'
import {
  LINK_FIELDS,
  LINK_NAMES,
  type Link,
  type LinkName,
  linkText,
  marksOf,
  optionsOf,
} from '../../../../src/bundles/links/link-fields.ts'
import { iconOf, type SiteIcons } from '../../../../src/icons/site.ts'
import { destination } from '../../../parts/destination.ts'
import { Emphasis } from '../../../parts/emphasis.tsx'
import { Each } from '../../../parts/layout.tsx'
import { DiffEntry, type Effort, TextDiff } from './text-diff.tsx'

interface LinkEntriesProps {
  entries: readonly Entry<Link>[]
  effort: Effort
  icons: SiteIcons
}

/** The changes in a list of links. */
export function LinkEntries({ entries, effort, icons }: LinkEntriesProps): JSX.Element {
  return (
    <ul class="entries">
      <Each
        of={entries}
        show={(entry) => (
          <DiffEntry entry={entry} url={entry.value.url} icon={iconOf(entry.value.url, icons)}>
            {entry.kind === 'kept' ? (
              <ChangedLink link={entry.value} changes={entry.changes} effort={effort} />
            ) : (
              <WholeLink link={entry.value} />
            )}
          </DiffEntry>
        )}
      />
    </ul>
  )
}

/** A link with all its metadata. */
export function WholeLink({ link }: { link: Link }): JSX.Element {
  const { url, note, section, tags } = link
  const marks = marksOf(link)
  return (
    <>
      <Address url={url} />
      {note !== '' && (
        <p class="text" dir="auto">
          <Emphasis text={note} />
        </p>
      )}
      {section !== '' && <p class="hint" dir="auto" safe>{`Section ${section}`}</p>}
      {(tags.length > 0 || marks.length > 0) && (
        <p class="tags">
          <Each of={[...marks, ...tags]} show={(tag) => <Tag tag={tag} />} />
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

function ChangedLink({ link, changes: { url, ...changes }, effort }: ChangedLinkProps): JSX.Element {
  return (
    <>
      {url === undefined ? (
        <Address url={link.url} />
      ) : (
        <>
          <p class="address">
            <TextDiff {...url} effort={effort} />
          </p>
          {destination(url.to).unicode !== null && <Address url={url.to} />}
        </>
      )}
      <Each
        of={LINK_NAMES}
        show={(name) => {
          const change = changes[name]
          if (change === undefined) return ''
          const { from, to } = change
          return typeof from === 'object' && typeof to === 'object' ? (
            <TagsChange from={from} to={to} />
          ) : (
            <ValueChange name={name} from={linkText(from)} to={linkText(to)} effort={effort} />
          )
        }}
      />
    </>
  )
}

type ValueChangeProps = { name: LinkName; from: string; to: string; effort: Effort }

function ValueChange({ name, from, to, effort }: ValueChangeProps): JSX.Element {
  const words = optionsOf(name)?.get(to)?.change
  if (words !== undefined)
    return (
      <p class="hint" safe>
        {words}
      </p>
    )
  return (
    <p>
      <span class="hint" safe>{`${LINK_FIELDS[name].label} `}</span>
      <TextDiff from={from} to={to} effort={effort} isStressed={name === 'note'} />
    </p>
  )
}

function TagsChange({ from, to }: { from: readonly string[]; to: readonly string[] }): JSX.Element {
  return (
    <p class="tags">
      <span class="hint">Tags</span>
      <Each
        of={from.filter((tag) => !to.includes(tag))}
        show={(tag) => (
          <del>
            <Tag tag={tag} />
          </del>
        )}
      />
      <Each
        of={to}
        show={(tag) =>
          from.includes(tag) ? (
            <Tag tag={tag} />
          ) : (
            <ins>
              <Tag tag={tag} />
            </ins>
          )
        }
      />
    </p>
  )
}

/** A link’s URL, with its host first. */
function Address({ url }: { url: string }): JSX.Element {
  const { href, host, unicode, path } = destination(url)
  return (
    <div class="address" dir="ltr">
      {!href.startsWith('https:') && <span class="hint">http://</span>}
      <bdi class="host" safe>
        {unicode ?? host}
      </bdi>
      {unicode !== null && <bdi class="hint" safe>{` (${host})`}</bdi>}
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
      {rest !== '' && (
        <details class="rest hint">
          <summary safe>{`and ${rest.length} more characters`}</summary>
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
