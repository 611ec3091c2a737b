/** @jsxImportSource @kitajs/html */

import { Icon } from '../parts/icons.tsx'
import { attribute, type Site } from '../parts/layout.tsx'
import { Demo } from './demo.tsx'
import { Filled, Uses } from './examples.tsx'

/** What README and the guide to self-hosting say to type. */
const RUN = 'npx -y bun@1.4.5 install --frozen-lockfile && npx -y bun@1.4.5 run start'

/** What the service is, below the form: a launcher to press, what it is for, and how to run it. */
export function Bands({ site }: { site: Site }): JSX.Element {
  return (
    <>
      <section class="band halves">
        <div>
          <h2>Go on, press it.</h2>
          <p class="lede">
            This one is real: four tabs about the sky above you. It is the whole page people get, with no cookies, no
            trackers and nothing to install.
          </p>
        </div>
        <Demo site={site} />
      </section>
      <section class="band">
        <h2>For everything that takes nine tabs</h2>
        <Uses />
      </section>
      <section class="band halves">
        <div>
          <h2>Leave a blank. Fill it when you need it.</h2>
          <p class="lede">
            Write <code class="blank">{'{customer}'}</code> where the number goes. Then{' '}
            <strong>/l/customer/4711</strong> opens everything about customer 4711, for everyone on the team.
          </p>
          <p class="lede">
            <a href="/docs/variables">How blanks are filled</a>
          </p>
        </div>
        <Filled site={site} />
      </section>
      <section class="band">
        <h2>Yours to run</h2>
        <p class="lede">Open source. One small server, one database file, one line in a copy of {source(site)}.</p>
        <p class="shell">
          <code>{RUN}</code>
          <button type="button" class="copy" data-text={attribute(RUN)}>
            <Icon name="copy" />
            <span class="label">Copy</span>
          </button>
        </p>
        <dl class="facts">
          <div>
            <dt>Private</dt>
            <dd>No cookies for readers, nothing loaded from third parties. Views are counted, people are not.</dd>
          </div>
          <div>
            <dt>Small</dt>
            <dd>A launcher of 25 links is 20 KB at most, style and script included, and works without JavaScript.</dd>
          </div>
          <div>
            <dt>For teams and scripts</dt>
            <dd>Every edit is a version you can restore. There is an API, a command line and an MCP server.</dd>
          </div>
        </dl>
      </section>
    </>
  )
}

function source({ sourceUrl }: Site): JSX.Element {
  return sourceUrl === undefined ? <>its source</> : <a href={attribute(sourceUrl)}>its source</a>
}
