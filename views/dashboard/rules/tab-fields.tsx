/** @jsxImportSource @kitajs/html */

import { LINK_FIELDS, RULE_NAMES } from '../../../src/bundles/links/link-fields.ts'
import type { DraftTab, OpenRule } from '../../../src/policies/draft/draft.ts'
import { POLICY_BOUNDS } from '../../../src/policies/shapes.ts'
import { destination, hostText } from '../../parts/destination.ts'
import { textareaContent } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icons.tsx'
import { attribute, Each } from '../../parts/layout.tsx'
import { ActionButton, type BuilderProps, field, idOf, Notes } from './parts.tsx'

interface TabProps {
  tab: DraftTab
  rule: number
  at: number
  last: number
  builder: BuilderProps
}

/** The link of one tab and the texts beside it. */
export function TabFields({ tab, rule, at, last, builder }: TabProps): JSX.Element {
  const path = `rules.${rule}.tabs.${at}`
  const place = `${rule} ${at}`
  return (
    <li>
      <Notes place={path} findings={builder.findings} />
      <input
        inputmode="url"
        aria-label={`Link of tab ${at + 1}`}
        placeholder="https://"
        list="own"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        value={attribute(tab.url)}
        {...field(`${path}.url`, path, builder)}
      />
      <Each
        of={RULE_NAMES}
        show={(name) => {
          const { label, lines } = LINK_FIELDS[name]
          const about = { 'aria-label': `${label} of tab ${at + 1}`, placeholder: label, dir: 'auto' }
          const shared = field(`${path}.${name}`, path, builder)
          return lines === 'one' ? (
            <input class={name} {...about} autocomplete="off" value={attribute(tab[name])} {...shared} />
          ) : (
            <textarea rows="1" {...about} {...shared} safe>
              {textareaContent(tab[name])}
            </textarea>
          )
        }}
      />
      <span class="tools">
        <ActionButton
          action={`tab.up ${place}`}
          path={`${path}.up`}
          label={`Move tab ${at + 1} up`}
          icon="up"
          disabled={at === 0}
          builder={builder}
        />
        <ActionButton
          action={`tab.down ${place}`}
          path={`${path}.down`}
          label={`Move tab ${at + 1} down`}
          icon="down"
          disabled={at === last}
          builder={builder}
        />
        <ActionButton
          action={`tab.remove ${place}`}
          path={`${path}.remove`}
          label={`Remove tab ${at + 1}`}
          icon="trash"
        />
      </span>
    </li>
  )
}

export function TabAddButtons({
  at,
  rule: { base, tabs },
  builder,
}: {
  at: number
  rule: OpenRule
  builder: BuilderProps
}): JSX.Element {
  const { own, focus } = builder
  const path = `rules.${at}.tabs.add`
  const isFull = tabs.length >= POLICY_BOUNDS.tabs
  const taken = new Set(tabs.map(({ url }) => url.trim()))
  return (
    <div class="adds cluster">
      <button
        type="submit"
        class="quiet small"
        name="do"
        value={`tab.add ${at}`}
        id={idOf(path)}
        autofocus={focus === path}
        disabled={isFull}
      >
        <Icon name="plus" />
        Tab
      </button>
      {base === 'none' && <Picks at={at} own={own} isFull={isFull} taken={taken} />}
    </div>
  )
}

interface PicksProps {
  at: number
  /** The bundle's own tabs. */
  own: readonly DraftTab[]
  isFull: boolean
  /** The links that the rule has already. */
  taken: ReadonlySet<string>
}

/** Copies links of the bundle into a list of the rule's own. */
function Picks({ at, own, isFull, taken }: PicksProps): JSX.Element {
  return (
    <details class="menu picks" name="menu">
      <summary class="quiet small">
        <Icon name="bundles" />
        From this bundle
      </summary>
      <span class="pop">
        <button type="submit" class="item" name="do" value={`tab.all ${at}`} disabled={isFull}>
          <strong>All of its links</strong>
        </button>
        <Each
          of={own}
          show={({ url, note }, index) => (
            <button
              type="submit"
              class="item"
              name="do"
              value={`tab.own ${at} ${index}`}
              disabled={isFull || taken.has(url)}
            >
              <span class="own">
                <bdi safe>{note.trim().split('\n')[0] || shownHost(url)}</bdi>
                <bdi class="hint" safe>
                  {url}
                </bdi>
              </span>
            </button>
          )}
        />
      </span>
    </details>
  )
}

/** The host of a URL for display; empty while the URL is incomplete. */
export function shownHost(url: string): string {
  return URL.canParse(url.trim()) ? hostText(destination(url.trim())) : ''
}
