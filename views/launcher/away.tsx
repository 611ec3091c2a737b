/** @jsxImportSource @kitajs/html */

import { Document, type Site } from '../parts/layout.tsx'

/** In a tab that must lose its opener before it leads to a link (`away.js`). */
export function AwayPage({ site }: { site: Site }): JSX.Element {
  return (
    <Document
      title={`Opening · ${site.name}`}
      styles="launcher.css"
      scripts={['away.js']}
      head={<meta name="robots" content="noindex" />}
    >
      <main>
        <p class="description">If this tab stays empty, open the link on the page you come from.</p>
      </main>
    </Document>
  )
}
