/** @jsxImportSource @kitajs/html */

interface KeptProps {
  /** Where the editor posts to. */
  action: string
  /** The fields with which the editor began. */
  hidden: Record<string, string>
}

/** Offers the edits that this browser has kept; its script shows it, and fills it with them. */
export function Kept({ action, hidden: { version = '' } }: KeptProps): JSX.Element {
  return (
    <form
      class="kept cluster"
      id="kept"
      method="post"
      action={action}
      enctype="multipart/form-data"
      autocomplete="off"
      data-version={version}
      hidden
    >
      <p role="status"></p>
      <button type="submit" name="do" value="restore" class="small">
        Restore
      </button>
      <button type="button" class="quiet small">
        Discard
      </button>
    </form>
  )
}
