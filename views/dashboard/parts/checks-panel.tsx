/** @jsxImportSource @kitajs/html */

import { attribute } from '../../parts/layout.tsx'

interface ChecksPanelProps {
  action: string
  isOn: boolean
}

/** The switch of an owner for looks at saved links. */
export function ChecksPanel({ action, isOn }: ChecksPanelProps): JSX.Element {
  return (
    <section class="panel" aria-labelledby="checks">
      <h2 id="checks">Health of links</h2>
      <form class="stack" method="post" action={attribute(action)}>
        <input type="hidden" name="change" value="checks" />
        <label class="choice">
          <input type="checkbox" name="checkLinks" value="yes" checked={isOn} />
          <span>Check every three days whether saved links still work</span>
        </label>
        <p class="hint">
          Broken links are shown to whoever can read the bundle in full, never to viewers. One link is left out in its
          own settings. <a href="/docs/checks">What is asked for</a>
        </p>
        <div class="actions">
          <button type="submit">Save checks</button>
        </div>
      </form>
    </section>
  )
}
