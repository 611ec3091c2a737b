/** @jsxImportSource @kitajs/html */

import type { PropsWithChildren } from '@kitajs/html'
import type { Variable } from '../../../db/schema.ts'
import type { BundleDiff } from '../../../src/bundles/diff.ts'
import type { SiteIcons } from '../../../src/icons/site.ts'
import { Diff } from './diff.tsx'

interface ConflictProps extends PropsWithChildren {
  /** Their saved changes, compared with the common base. */
  theirs: BundleDiff
  /** The visitor's unsaved changes, compared with the same. */
  mine: BundleDiff
  /** Those of both and of the base, by whose labels rules are said. */
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
export function Conflict(props: ConflictProps): JSX.Element {
  const { theirs, mine, named, icons, by, isOwn, versionNumber, canKeepBoth, children } = props
  const actions = <div class="actions">{children}</div>
  return (
    <section class="card caution conflict" role="alert" id="alert" tabindex="-1">
      <h2>{isOwn ? 'You saved a newer version in another tab' : 'Someone else saved first'}</h2>
      <p>
        Your changes are still below. They just aren’t saved yet.
        {canKeepBoth ? ' “Keep both” adds the others wherever you changed nothing, for you to look at and save.' : ''}
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
      {children === undefined ? '' : actions}
    </section>
  )
}
