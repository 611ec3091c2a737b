/** @jsxImportSource @kitajs/html */

import { Conflict } from '../../../views/dashboard/versions/conflict.tsx'
import { EditedBy } from '../../../views/dashboard/versions/edited-by.tsx'
import { type Content, diff } from '../../bundles/diff.ts'
import type { Version } from '../../bundles/history.ts'
import type { StoredBundle } from '../../bundles/roles.ts'
import { listVersions } from '../../bundles/version-operations.ts'
import { Problem } from '../../core/problem.ts'
import type { SiteIcons } from '../../icons/site.ts'
import { iconsFor } from '../parts/icons.ts'
import { run, type Visit } from '../parts/visit.ts'

/** The versions that a conflicting edit is compared with. */
interface Sides {
  /** The bundle as somebody else saved it. */
  theirs: StoredBundle
  latest: Version
  /** The version that both edits started from. */
  base: Version
  /** Those of the sites that either leads to. */
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
  /** The content that was not saved. */
  content: Partial<Content>
  /** The page with its form. */
  page: string
  /** Whether saving it drops something of theirs. */
  isLosing?: boolean
  /** The value of the button that adds what they changed elsewhere, if they did. */
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
      {keepBoth === undefined ? (
        ''
      ) : (
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
