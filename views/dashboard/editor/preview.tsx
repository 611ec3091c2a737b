/** @jsxImportSource @kitajs/html */

interface PreviewProps {
  isHidden: boolean
  /** Whether the bundle has rules, which viewers may match. */
  hasRules: boolean
}

/**
 * The launcher as saving the form would make it, beside the form on wide screens. Its script fills it with what the server
 * renders.
 */
export function Preview({ isHidden, hasRules }: PreviewProps): JSX.Element {
  return (
    <aside
      class="preview"
      id="preview"
      aria-labelledby="preview-heading"
      data-url="/dashboard/links/new/preview"
      hidden={isHidden}
    >
      <h2 id="preview-heading">Preview</h2>
      <p class="hint">{hasRules ? 'On a phone, if no rule matches' : 'On a phone'}</p>
      {/* A save replaces the page; the frame stays until a newer one has loaded. */}
      <div class="screen" id="preview-screen" hx-preserve="true"></div>
      <p class="hint" id="preview-says"></p>
    </aside>
  )
}

/** Shows and hides the preview. */
export function PreviewToggle({ isHidden }: Pick<PreviewProps, 'isHidden'>): JSX.Element {
  return (
    <button type="button" class="small preview-toggle" aria-controls="preview" data-url="/dashboard/preview">
      {isHidden ? 'Show preview' : 'Hide preview'}
    </button>
  )
}
