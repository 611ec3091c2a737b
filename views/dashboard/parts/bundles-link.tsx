/** @jsxImportSource @kitajs/html */

/** The way on from a page that ends somewhere: the list of bundles. */
export function BundlesLink(): JSX.Element {
  return (
    <a class="button" href="/dashboard">
      Go to your bundles
    </a>
  )
}
