/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { Variable } from '../../../../db/schema.ts'
import { type BundleDiff, type Content, diff } from '../../../../src/bundles/content/diff.ts'
import type { StoredBundle } from '../../../../src/bundles/edit/bundles.ts'
import { listVersions, type Version } from '../../../../src/bundles/edit/history.ts'
import { Problem } from '../../../../src/core/problem.ts'
import type { SiteIcons } from '../../../../src/icons/site.ts'
import { Diff, EditedBy } from '../diff/diff.tsx'
import { iconsFor, run, type Visit } from '../screens.tsx'

/** The versions for comparison with a conflicting edit. */
interface Sides {
  /** The bundle as somebody else saved it. */
  theirs: StoredBundle
  latest: Version
  /** The version from which both edits started. */
  base: Version
  /** Icons for the sites in either version. */
  icons: SiteIcons
}

/** The latest version and the common base, for an edit of an earlier version. */
export async function sidesOf(visit: Visit, slug: string, begunWith: number): Promise<Sides> {
  const [now, then] = await Promise.all([
    run(visit, listVersions, { slug, limit: 1 }),
    run(visit, listVersions, { slug, before: begunWith + 1, limit: 1 }),
  ])
  const [[latest], [base]] = [now.versions, then.versions]
  if (latest === undefined || base === undefined) throw new Problem('NOT_FOUND', 'This bundle has no such version.')
  const theirs = now.bundle
  return { theirs, latest, base, icons: await iconsFor(visit, theirs, { ...base, icons: theirs.icons }) }
}

interface Mine {
  /** The unsaved content. */
  content: Partial<Content>
  /** The page with its form. */
  page: string
  /** Whether saving it discards some of their changes. */
  isLosing?: boolean
  /** The value of the button that adds their changes elsewhere, if there are any. */
  keepBoth?: string | undefined
}

/** Both edits, each compared with the common base. */
export function conflictOf(visit: Visit, { theirs, latest, base, icons }: Sides, mine: Mine): JSX.Element {
  const { content, page, isLosing = true, keepBoth } = mine
  return (
    <Conflict
      theirs={diff(base, theirs)}
      mine={diff(base, { ...base, ...content })}
      icons={icons}
      named={[...(content.variables ?? []), ...theirs.variables, ...base.variables]}
      by={<EditedBy site={visit.site} version={latest} isWithin />}
      isOwn={latest.editedBy === visit.session.userId}
      versionNumber={latest.versionNumber}
      canKeepBoth={keepBoth !== undefined}
    >
      {keepBoth !== undefined && (
        <button type="submit" name="do" value={keepBoth} class="primary">
          Keep both
        </button>
      )}
      <button type="submit" name="do" value="save">
        {isLosing ? 'Save mine anyway' : 'Save'}
      </button>
      <a class="button" href={page} data-discard="">
        Take theirs
      </a>
    </Conflict>
  )
}

interface ConflictProps extends PropsWithChildren {
  /** Their saved changes, compared with the common base. */
  theirs: BundleDiff
  /** The visitor's unsaved changes, compared with the common base. */
  mine: BundleDiff
  /** The variables of both edits and of the base, whose labels describe rules. */
  named: readonly Variable[]
  icons: SiteIcons
  /** Who saved the other changes. */
  by: JSX.Element
  /** Whether that was the visitor, in another tab. */
  isOwn: boolean
  versionNumber: number
  /** Whether one of the actions adds their changes to the visitor's. */
  canKeepBoth: boolean
}

/** Two conflicting edits of one version, side by side; children are the actions. */
function Conflict(props: ConflictProps): JSX.Element {
  const { theirs, mine, named, icons, by, isOwn, versionNumber, canKeepBoth, children } = props
  const actions = <div class="actions">{children}</div>
  return (
    <section class="card caution conflict" role="alert" id="alert" tabindex="-1">
      <h2>{isOwn ? 'You saved a newer version in another tab' : 'Someone else saved first'}</h2>
      <p>
        Your changes are still below. They just aren’t saved yet.
        {canKeepBoth && ' “Keep both” adds the others wherever you changed nothing, for you to look at and save.'}
      </p>
      <div class="sides">
        <div>
          <h3>
            <span safe>{`Version ${versionNumber}, saved by `}</span>
            {by}
          </h3>
          <Diff diff={theirs} named={named} icons={icons} />
        </div>
        <div>
          <h3>Your changes</h3>
          <Diff diff={mine} named={named} icons={icons} />
        </div>
      </div>
      {children !== undefined && actions}
    </section>
  )
}
