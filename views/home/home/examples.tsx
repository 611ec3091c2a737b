/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { routes } from '../../../src/core/routes.ts'
import { tileOf } from '../../parts/hues.ts'
import { Each, type Site } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'

interface Use {
  name: string
  path: string
  says: string
  /** The first links of the example. */
  links: readonly (readonly [url: string, title: string])[]
  /** The number of further links. */
  more: number
}

const USES: readonly Use[] = [
  {
    name: 'Onboarding week',
    path: routes.launcher.page.href({ slug: 'first-week' }),
    says: 'Day one starts with one press. When the handbook moves, you change the list once, not every welcome mail.',
    links: [
      ['https://wiki.northwind.example', 'Your first five days'],
      ['https://help.northwind.example', 'Set up your laptop'],
      ['https://people.northwind.example', 'Who does what'],
    ],
    more: 6,
  },
  {
    name: 'Incident',
    path: `${routes.launcher.page.href({ slug: 'incident' })}/{service}`,
    says: 'Everything about {service}, at three in the morning: the alert carries one link, and it opens all of it.',
    links: [
      ['https://grafana.com', 'Dashboards'],
      ['https://deploys.northwind.example', 'Last deploys'],
      ['https://runbooks.northwind.example', 'Runbook'],
    ],
    more: 5,
  },
  {
    name: 'Course reading list',
    path: routes.launcher.page.href({ slug: 'coral-reefs' }),
    says: 'Week six, in order: what to read, what to watch, where to hand it in. A QR code for the last slide.',
    links: [
      ['https://journal.example', 'How reefs remember'],
      ['https://atlas.example', 'The bleaching atlas'],
      ['https://moodle.example', 'Hand in by Friday'],
    ],
    more: 8,
  },
]

/** The links of an example with a variable, each up to its value. */
const CUSTOMER = [
  ['https://crm.northwind.example/customers/', 'Their page in the CRM'],
  ['https://billing.northwind.example/?customer=', 'Invoices and payments'],
  ['https://help.northwind.example/search?q=', 'Open tickets'],
  ['https://errors.northwind.example/?period=7d&user=', 'Errors they saw'],
] as const

/** The uses of the service, as three bundles. */
export function Uses(): JSX.Element {
  return (
    <div class="uses">
      <Each of={USES} show={(use, index) => <UseCard use={use} place={index / (USES.length - 1)} />} />
    </div>
  )
}

/** @param props.place the position of its tab: 0 at the start, 1 at the end. */
function UseCard({ use: { name, path, says, links, more }, place }: { use: Use; place: number }): JSX.Element {
  const all = [
    ...links.map(([url]) => tileOf(url).hue),
    ...Array.from({ length: more }, (_, at) => `hue-${(at * 3 + more) % 8}`),
  ]
  const before = Math.round(all.length * place)
  return (
    <article>
      <div class="strip">
        <Stubs hues={all.slice(0, before)} />
        <h3 class="tab-name" safe>
          {name}
        </h3>
        <Stubs hues={all.slice(before)} />
      </div>
      <div class="sheet">
        <p class="path">
          <Blanks text={path} />
        </p>
        <p>
          <Blanks text={says} />
        </p>
        <ul>
          <Each
            of={links}
            show={([url, title]) => (
              <li>
                <Tile url={url} />
                <span safe>{title}</span>
              </li>
            )}
          />
          <li class="rest" safe>{`${more} more`}</li>
        </ul>
      </div>
    </article>
  )
}

function Stubs({ hues }: { hues: readonly string[] }): JSX.Element {
  if (hues.length === 0) return ''
  return (
    <div class="stubs" aria-hidden="true">
      <Each of={hues} show={(hue) => <i class={['stub', hue]}></i>} />
    </div>
  )
}

/** A text with its placeholders as blanks. */
function Blanks({ text }: { text: string }): JSX.Element {
  return (
    <Each
      of={text.split(/(\{\w+\})/)}
      show={(part, index) =>
        index % 2 === 0 ? (
          escapeHtml(part)
        ) : (
          <code class="blank" safe>
            {part}
          </code>
        )
      }
    />
  )
}

/** A launcher with its blank filled in. */
export function Filled({ site }: { site: Site }): JSX.Element {
  return (
    <div class="filled">
      <div class="strip">
        <p class="tab-name">Customer 4711</p>
        <Stubs hues={CUSTOMER.map(([url]) => tileOf(url).hue)} />
      </div>
      <div class="sheet">
        <p class="path">
          <span safe>{`${new URL(site.origin).host}${routes.launcher.page.href({ slug: 'customer' })}/`}</span>
          <mark>4711</mark>
        </p>
        <ul>
          <Each
            of={CUSTOMER}
            show={([url, title]) => (
              <li>
                <Tile url={url} />
                <span>
                  <strong>{title}</strong>
                  <code>
                    <span safe>{url.replace('https://', '')}</span>
                    <mark>4711</mark>
                  </code>
                </span>
              </li>
            )}
          />
        </ul>
      </div>
    </div>
  )
}
