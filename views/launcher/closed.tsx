/** @jsxImportSource @kitajs/html */

import type { Outside } from '../../src/launcher/times.ts'
import { ExactTime } from '../parts/exact-time.tsx'
import { Document, type Site } from '../parts/layout.tsx'
import { Top } from './top.tsx'

/** Instead of a launcher that is not open: nothing of the bundle but its opening time, or its note after closing. */
export function ClosedPage({ site, outside }: { site: Site; outside: Outside }): JSX.Element {
  const heading = outside.kind === 'before' ? 'This page isn’t open yet' : 'This page has closed'
  return (
    <Document title={`${heading} · ${site.name}`} styles="launcher.css" scripts={['countdown.js']} head={<NoIndex />}>
      <Top site={site} />
      <main>
        <h1>{heading}</h1>
        {outside.kind === 'before' ? (
          <p class="description" data-opens-in={String(outside.opensAt - Date.now())}>
            {'It opens on '}
            <ExactTime at={outside.opensAt} />
            {/* The script writes its end anew, which moves nothing that stood there. */}
            <span id="away">.</span>
          </p>
        ) : outside.note === null ? (
          ''
        ) : (
          <p class="description" dir="auto" safe>
            {outside.note}
          </p>
        )}
        <footer>
          <a href="/" safe>{`Made with ${site.name}`}</a>
        </footer>
      </main>
    </Document>
  )
}

function NoIndex(): JSX.Element {
  return <meta name="robots" content="noindex" />
}
