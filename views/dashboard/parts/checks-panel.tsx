/** @jsxImportSource @kitajs/html */

import { Form, Panel } from './panel.tsx'

interface ChecksPanelProps {
  action: string
  isOn: boolean
}

/** The switch of an owner for looks at saved links. */
export function ChecksPanel({ action, isOn }: ChecksPanelProps): JSX.Element {
  return (
    <Panel id="checks" heading="Health of links">
      <Form kind="stack" action={action} hidden={{ change: 'checks' }} button="Save checks">
        <label class="choice">
          <input type="checkbox" name="checkLinks" value="yes" checked={isOn} />
          <span>Check every three days whether saved links still work</span>
        </label>
        <p class="hint">
          Broken links are shown to whoever can read the bundle in full, never to viewers. One link is left out in its
          own settings. <a href="/docs/checks">What is asked for</a>
        </p>
      </Form>
    </Panel>
  )
}
