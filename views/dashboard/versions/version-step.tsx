/** @jsxImportSource @kitajs/html */
import { CONTENT, NOTHING, type ScalarName } from '../../../src/bundles/content/content.ts'
import { type BundleDiff, diff, type Entry } from '../../../src/bundles/content/diff.ts'
import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import type { Version } from '../../../src/bundles/edit/history.ts'
import { routes } from '../../../src/core/routes.ts'
import { asSentence, count } from '../../../src/core/words.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { allowsRole } from '../../../src/identity/caller.ts'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { Monogram, personName } from '../../parts/tile.tsx'
import { roleOver } from '../../parts/visitor.ts'
import { Diff, MadeBy } from '../parts/diff/diff.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import type { DashboardSite } from '../parts/shell.tsx'

/** Replaces only the list. */
const INTO_LIST = 'target:"#history", swap:"outerHTML"'

type StepProps = HistoryProps & { version: Version; previous: Version | null }

/** A version in the history: its author, time and changes; the open version in full. */
export function VersionStep(props: StepProps): JSX.Element {
  const { site, bundle, icons, before, open, latest, version, previous } = props
  const { versionNumber, editedAt } = version
  const changes = diff(previous ?? NOTHING, version)
  const isOpen = versionNumber === open
  const query = new URLSearchParams({
    ...(before === null ? {} : { before: String(before) }),
    version: String(versionNumber),
  })
  const picked = pickedIn(props)
  const isPicked = picked.includes(versionNumber)
  const isBetween = versionNumber > Math.min(...picked) && versionNumber < Math.max(...picked)
  return (
    <li class={[isOpen && 'open', isPicked && 'picked', isBetween && 'between']}>
      {latest === 1 ? <span class="dot"></span> : <Dot {...props} />}
      <span class="faces">
        <Each of={facesOf(version)} show={(name) => <Monogram text={name} />} />
      </span>
      <div class="step cluster">
        <h2>
          <a
            id={`v${versionNumber}`}
            href={attribute(`${routes.bundle.versions.href({ slug: bundle.slug })}?${query}`)}
            hx-boost={INTO_LIST}
            aria-current={isOpen ? 'true' : undefined}
            safe
          >
            {`Version ${versionNumber}`}
          </a>
        </h2>
        {versionNumber === latest && <span class="tag good">current</span>}
        <span class="by hint">
          <MadeBy site={site} version={version} />
          {', '}
          <RelativeTime at={editedAt} />
        </span>
        <p class="changes" safe>
          {summary(diffSummary(changes), versionNumber)}
        </p>
      </div>
      {!isOpen && !isPicked && mayRestore(props) && (
        <Restore slug={bundle.slug} versionNumber={versionNumber} latest={latest} isQuiet />
      )}
      {isOpen && (
        <div class="whole stack">
          <Diff diff={changes} named={[...version.variables, ...(previous?.variables ?? [])]} icons={icons} />
          <Actions {...props} />
        </div>
      )}
    </li>
  )
}

/** Its author and, for a suggestion, who accepted it. */
function facesOf({ editedBy, editor, proposedBy, proposer }: Version): string[] {
  const name = (person: Version['editor']) => (person === null ? '' : personName(person))
  return proposedBy === null || proposedBy === editedBy ? [name(editor)] : [name(proposer), name(editor)]
}

/** The compared versions, or the one picked first. */
function pickedIn({ comparison, pick }: HistoryProps): number[] {
  if (comparison !== null) return [comparison.from.versionNumber, comparison.to.versionNumber]
  return pick === null ? [] : [pick]
}

/** Picks a version; if another one is picked, compares them. */
function Dot(props: StepProps): JSX.Element {
  const { bundle, before, version } = props
  const own = version.versionNumber
  const picked = pickedIn(props)
  const isPicked = picked.includes(own)
  const other = isPicked ? picked.find((number) => number !== own) : picked.length > 0 ? Math.max(...picked) : undefined
  const [from, to] = [Math.min(own, other ?? own), Math.max(own, other ?? own)]
  const query = new URLSearchParams({
    ...(before === null ? {} : { before: String(before) }),
    ...(isPicked
      ? other === undefined
        ? {}
        : { pick: String(other) }
      : other === undefined
        ? { pick: String(own) }
        : { from: String(from), to: String(to) }),
  })
  const label = isPicked ? `Leave out ${own}` : `Compare ${from} with ${other === undefined ? 'another' : to}`
  return (
    <a
      class="dot"
      id={`dot-${own}`}
      href={attribute(`${routes.bundle.versions.href({ slug: bundle.slug })}?${query}`)}
      hx-boost={'target:"#history", swap:"outerHTML show:none"'}
      title={attribute(label)}
      aria-current={isPicked ? 'true' : undefined}
    >
      <span class="visually-hidden" safe>
        {label}
      </span>
    </a>
  )
}

function mayRestore({ site, bundle, latest, version }: StepProps): boolean {
  return version.versionNumber < latest && allowsRole(roleOver(bundle, site.user), 'editor')
}

function summary(short: string, versionNumber: number): string {
  if (versionNumber === 1) return `Created: ${short}`
  return short === '' ? 'Saved without changes' : asSentence(short)
}

function Actions(props: StepProps): JSX.Element {
  const { bundle, latest, version } = props
  const { versionNumber } = version
  if (versionNumber === latest) return ''
  const to = attribute(`${routes.bundle.versions.href({ slug: bundle.slug })}?from=${versionNumber}&to=${latest}`)
  return (
    <div class="actions">
      {mayRestore(props) && <Restore slug={bundle.slug} versionNumber={versionNumber} latest={latest} />}
      <a class="button" href={to}>
        Compare with the current version
      </a>
    </div>
  )
}

/** The changes on one line: `title changed, 2 links added, 1 link moved`; `''` for none. */
function diffSummary({ fields, links, variables, rules }: BundleDiff): string {
  const words = {
    fields: (Object.entries(fields) as [ScalarName, { from: string; to: string }][]).map(
      ([field, { from, to }]) =>
        `${CONTENT[field].label.toLowerCase()} ${from === '' ? 'added' : to === '' ? 'removed' : 'changed'}`,
    ),
    links: countEntries(links, 'link'),
    variables: countEntries(variables, 'variable'),
    rules: countEntries(rules, 'rule'),
  } satisfies Record<keyof BundleDiff, string[]>
  return Object.values(words).flat().join(', ')
}

function countEntries(entries: readonly Entry<unknown>[], noun: string): string[] {
  const counts = { added: 0, removed: 0, moved: 0, changed: 0 }
  for (const entry of entries) {
    if (entry.kind !== 'kept') counts[entry.kind] += 1
    else counts[Object.keys(entry.changes).length > 0 ? 'changed' : 'moved'] += 1
  }
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${count(number, noun)} ${what}`)
}

/** Two versions being compared. */
export interface Comparison {
  from: Version
  to: Version
}

export interface HistoryProps {
  site: DashboardSite
  bundle: StoredBundle
  icons: SiteIcons
  /** Newest first. */
  versions: readonly Version[]
  /** The version before the oldest listed; null if that is the first. */
  earlier: Version | null
  /** The number of the bundle's latest version. */
  latest: number
  /** The number of the version shown in full; null for none. */
  open: number | null
  /** The page lists versions older than this; null for the newest page. */
  before: number | null
  comparison: Comparison | null
  /** The first of two versions to compare; null for none. */
  pick: number | null
  /** Why a restore or a comparison was refused. */
  alert: string | null
}

interface RestoreProps {
  slug: string
  versionNumber: number
  latest: number
  /** Whether it is one of many. */
  isQuiet?: boolean
}

/** The button that restores an earlier version. */
export function Restore({ slug, versionNumber, latest, isQuiet }: RestoreProps): JSX.Element {
  return (
    <form
      class={isQuiet ? 'bring-back' : undefined}
      method="post"
      action={routes.bundle.restoreVersion.href({ slug, versionNumber })}
    >
      <input type="hidden" name="expectedVersion" value={String(latest)} />
      <button
        type="submit"
        class={isQuiet ? 'small' : 'primary'}
        title={`Saves it as version ${latest + 1}; nothing is lost`}
      >
        <Icon name="history" />
        <span safe>{`Restore version ${versionNumber}`}</span>
      </button>
    </form>
  )
}
