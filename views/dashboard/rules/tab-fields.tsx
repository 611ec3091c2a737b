/** @jsxImportSource @kitajs/html */

import type { DraftTab } from '../../../src/dashboard/rules/draft.ts'
import { POLICY_BOUNDS } from '../../../src/policies/shapes.ts'
import { destination } from '../../parts/destination.ts'
import { leading } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute } from '../../parts/layout.tsx'
import { type Building, Do, field, idOf, State } from './parts.tsx'

interface TabProps {
  tab: DraftTab
  rule: number
  at: number
  last: number
  building: Building
}

/** The link and the note of one tab. */
export function TabFields({ tab: { url, note }, rule, at, last, building }: TabProps): JSX.Element {
  const path = `rules.${rule}.tabs.${at}`
  const place = `${rule} ${at}`
  return (
    <li>
      <State place={path} findings={building.findings} />
      <input
        inputmode="url"
        aria-label={`Link of tab ${at + 1}`}
        placeholder="https://"
        list="own"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        value={attribute(url)}
        {...field(`${path}.url`, path, building)}
      />
      <textarea
        rows="1"
        aria-label={`Note of tab ${at + 1}`}
        placeholder="Note"
        dir="auto"
        {...field(`${path}.note`, path, building)}
        safe
      >
        {leading(note)}
      </textarea>
      <span class="tools">
        <Do
          action={`tab.up ${place}`}
          path={`${path}.up`}
          label={`Move tab ${at + 1} up`}
          icon="up"
          disabled={at === 0}
          building={building}
        />
        <Do
          action={`tab.down ${place}`}
          path={`${path}.down`}
          label={`Move tab ${at + 1} down`}
          icon="down"
          disabled={at === last}
          building={building}
        />
        <Do action={`tab.remove ${place}`} path={`${path}.remove`} label={`Remove tab ${at + 1}`} icon="trash" />
      </span>
    </li>
  )
}

/** What may be put behind the tabs. */
export function TabAdds({
  at,
  tabs,
  building,
}: {
  at: number
  tabs: readonly DraftTab[]
  building: Building
}): JSX.Element {
  const { own, focus } = building
  const path = `rules.${at}.tabs.add`
  const isFull = tabs.length >= POLICY_BOUNDS.tabs
  const taken = new Set(tabs.map(({ url }) => url.trim()))
  return (
    <div class="adds">
      <button
        type="submit"
        class="add"
        name="do"
        value={`tab.add ${at}`}
        id={idOf(path)}
        autofocus={focus === path}
        disabled={isFull}
      >
        <Icon name="plus" />
        Tab
      </button>
      <details class="menu picks" name="menu">
        <summary class="add">
          <Icon name="bundles" />
          From this bundle
        </summary>
        <span class="pop">
          <button type="submit" class="item" name="do" value={`tab.all ${at}`} disabled={isFull}>
            <strong>All of its links</strong>
          </button>
          {
            own.map(({ url, note }, index) => (
              <button
                type="submit"
                class="item"
                name="do"
                value={`tab.own ${at} ${index}`}
                disabled={isFull || taken.has(url)}
              >
                <span class="own">
                  <bdi safe>{note.trim().split('\n')[0] || hostOf(url)}</bdi>
                  <bdi class="hint" safe>
                    {url}
                  </bdi>
                </span>
              </button>
            )) as 'safe'[]
          }
        </span>
      </details>
    </div>
  )
}

/** The host of a URL as people read it; empty for what is none yet. */
export function hostOf(url: string): string {
  if (!URL.canParse(url.trim())) return ''
  const { host, unicode } = destination(url.trim())
  return unicode === null ? host : `${unicode} (${host})`
}
