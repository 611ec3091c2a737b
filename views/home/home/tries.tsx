/** @jsxImportSource @kitajs/html */

import { attribute, Each } from '../../parts/layout.tsx'

/** Example texts to paste, by purpose. */
const TEXTS = {
  'Onboarding week': `First week at Northwind:
Your first five days https://wiki.northwind.example/start
Set up your laptop https://help.northwind.example/laptop
Team calendar https://calendar.google.com/
Who does what https://people.northwind.example/
The code https://github.com/northwind`,
  Incident: `Incident in {service}:
Dashboards https://grafana.northwind.example/d/{service}
Last deploys https://deploys.northwind.example/?app={service}
Runbook https://runbooks.northwind.example/{service}
Status page https://status.northwind.example/`,
  'Reading list': `Coral reefs, week six:
How reefs remember https://journal.example/reefs
The bleaching atlas https://atlas.example/bleaching
Hand in by Friday https://moodle.example/hand-in`,
}

/** Examples that fill the paste field: links to the page with their text, from which its script takes the text. */
export function Tries(): JSX.Element {
  return (
    <p class="hint tries">
      <span>
        Or try{' '}
        <Each
          of={Object.entries(TEXTS)}
          show={([name, text]) => (
            <a href={attribute(`/?${new URLSearchParams({ text })}`)} rel="nofollow" safe>
              {name}
            </a>
          )}
        />
      </span>
    </p>
  )
}
