/** @jsxImportSource @kitajs/html */

/** Says how many titles of a list are suggestions, with a way to take none; its script, page-titles.js, asks for them. */
export function SuggestedTitles(): JSX.Element {
  return (
    <p class="suggested-titles" id="suggested-titles" role="status" data-titles="/found/titles" hidden>
      <span></span>{' '}
      <button type="button" class="quiet small">
        Take none
      </button>
    </p>
  )
}
