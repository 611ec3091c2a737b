/** @jsxImportSource @kitajs/html */

import { Icon } from '../../parts/icons.tsx'

interface RestoreProps {
  slug: string
  versionNumber: number
  latest: number
}

/** The button that restores an earlier version. */
export function Restore({ slug, versionNumber, latest }: RestoreProps): JSX.Element {
  return (
    <form method="post" action={`/dashboard/links/${slug}/versions/${versionNumber}/restore`}>
      <input type="hidden" name="expectedVersion" value={String(latest)} />
      <button type="submit" class="primary" title={`Saves it as version ${latest + 1}; nothing is lost`}>
        <Icon name="history" />
        <span safe>{`Restore version ${versionNumber}`}</span>
      </button>
    </form>
  )
}
