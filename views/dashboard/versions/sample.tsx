/** @jsxImportSource @kitajs/html */

import { Sample } from '../parts/sample.tsx'
import type { HistoryProps } from './history-props.ts'
import { VersionStep } from './version-step.tsx'

/** A sample of the page, shown until the bundle is edited. */
export function SampleVersions(props: HistoryProps): JSX.Element {
  const [first] = props.versions
  if (first === undefined) return ''
  const edited = {
    ...first,
    versionNumber: 2,
    editedAt: Date.now(),
    title: SAMPLE_TITLE,
    urls: [...first.urls, ...URLS],
  }
  return (
    <Sample caption="An example of what you’ll see here once you save a change">
      <div class="history">
        <ol>
          <VersionStep {...props} open={null} latest={2} version={edited} previous={first} />
        </ol>
      </div>
    </Sample>
  )
}

const SAMPLE_TITLE = 'A better title'
const URLS = ['https://example.com/agenda', 'https://example.com/notes']
