/** @jsxImportSource @kitajs/html */

import { Icon } from '../../parts/icons.tsx'

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
      action={`/dashboard/links/${slug}/versions/${versionNumber}/restore`}
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
