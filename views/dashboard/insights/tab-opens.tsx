/** @jsxImportSource @kitajs/html */

import type { StoredBundle } from '../../../src/bundles/edit/bundles.ts'
import { iconOf, type SiteIcons } from '../../../src/icons/site.ts'
import type { Insights } from '../../../src/insights/shapes.ts'
import { titlesOf } from '../../../src/insights/words.ts'
import { formatInteger, rate, Share } from '../../parts/charts.tsx'
import { destination, withBraces } from '../../parts/destination.ts'
import { tileOf } from '../../parts/hues.ts'
import { Each } from '../../parts/layout.tsx'
import { Tile } from '../../parts/tile.tsx'
import { Blanks } from '../parts/blanks.tsx'
import { CardHead } from './cards.tsx'

/** How many tabs are visible at first, and how many the page lists: rules may have a thousand. */
const SHOWN = 10
const LISTED = 50

interface TabOpensProps {
  bundle: Pick<StoredBundle, 'slug' | 'urls' | 'urlMetadata' | 'variables' | 'resolutionPolicy'>
  insights: Pick<Insights, 'tabs'>
  icons: SiteIcons
}

/** How often each tab was opened, the most opened first. */
export function TabOpens({ bundle, insights: { tabs }, icons }: TabOpensProps): JSX.Element {
  const titles = titlesOf(bundle)
  const rows = tabs
    .toSorted((one, other) => other.opens - one.opens)
    .map((tab) => ({ ...tab, title: titles.get(tab.url) }))
  const total = tabs.reduce((sum, { opens }) => sum + opens, 0)
  const most = rows[0]?.opens ?? 0
  const names = bundle.variables.map(({ name }) => name)
  const more = rows.slice(SHOWN, LISTED)
  const rest = rows.length - LISTED
  return (
    <section aria-labelledby="tabs-heading">
      <CardHead table="tabs" hint="A tab counts each time it is opened from the page, on its own or with Open all." />
      {total === 0 ? (
        <p class="hint">No tab was opened in this period yet. The next one shows up here.</p>
      ) : (
        <>
          <Rows rows={rows.slice(0, SHOWN)} total={total} most={most} names={names} icons={icons} />
          {more.length > 0 && (
            <details class="more">
              <summary safe>{`${more.length} more`}</summary>
              <Rows rows={more} total={total} most={most} names={names} icons={icons} />
            </details>
          )}
          {rest > 0 && (
            <p class="hint" safe>
              {`${rest} more are in the CSV.`}
            </p>
          )}
        </>
      )}
    </section>
  )
}

interface RowsProps {
  rows: readonly (Insights['tabs'][number] & { title: string | undefined })[]
  total: number
  most: number
  /** The names of the bundle’s variables. */
  names: readonly string[]
  icons: SiteIcons
}

function Rows({ rows, total, most, names, icons }: RowsProps): JSX.Element {
  return (
    <table class="by-value by-tab">
      <caption class="visually-hidden">Tabs by how often they were opened</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Tab</span>
          </th>
          <th scope="col">
            <span class="visually-hidden">Opens</span>
          </th>
          <th scope="col">
            <span class="visually-hidden">Share</span>
          </th>
        </tr>
      </thead>
      <tbody>
        <Each
          of={rows}
          show={({ url, opens, title }) => (
            <tr>
              <th scope="row">
                <div class="behind">
                  <Tile url={url} icon={iconOf(url, icons)} />
                  <Share share={opens / most} hue={tileOf(url).hue} />
                  <TabName url={url} title={title} names={names} />
                </div>
              </th>
              <td class="number" safe>
                {formatInteger(opens)}
              </td>
              <td class="number hint" safe>
                {rate(opens / total)}
              </td>
            </tr>
          )}
        />
      </tbody>
    </table>
  )
}

function TabName({
  url,
  title,
  names,
}: Pick<RowsProps, 'names'> & { url: string; title: string | undefined }): JSX.Element {
  const { host, path } = destination(url)
  const name = title ?? ''
  return (
    <>
      {name !== '' && (
        <span class="title" dir="auto">
          <Blanks text={name} names={names} />
        </span>
      )}
      <span class={name === '' ? undefined : 'hint'} dir="ltr">
        <Blanks text={host + withBraces(path, names)} names={names} />
      </span>
      {title === undefined && <span class="hint"> No longer there</span>}
    </>
  )
}
