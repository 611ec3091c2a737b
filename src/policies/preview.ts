import type { Policy, Tab } from '../../db/policy.ts'
import type { Variable } from '../../db/schema.ts'
import { checkLinks } from '../core/fixed-links.js'
import { type Filling, fillLink, fillText, isComplete } from '../core/template.js'
import type { Preview } from './answers.ts'
import { type Own as OwnLinks, ownTabsOf, type ShownTab } from './base.ts'
import { compile } from './evaluate.ts'
import { type Finding, lint } from './lint.ts'
import type { Viewer } from './viewer.ts'

/** A preview with its warnings as data, and its tabs before filling. */
export interface Tried extends Omit<Preview, 'warnings'> {
  warnings: Finding[]
  /** The values that the launcher would put in place of the tabs’ placeholders. */
  filling: Filling
}

interface Own extends OwnLinks {
  variables: readonly Variable[]
}

/**
 * Evaluates a policy for a viewer with the launcher’s own evaluator. Pure.
 * @param filling the viewer's values.
 * @param now milliseconds since 1970, for the warnings; independent of the viewer’s time.
 */
export function preview(policy: Policy | null, own: Own, viewer: Viewer, filling: Filling, now: number): Tried {
  const compiled = policy === null ? null : compile(policy, own)
  const rule = compiled?.match(viewer) ?? null
  const tabs = (rule?.tabs ?? ownTabsOf(own)).map(tab)
  const checked = checkLinks(
    filling,
    tabs.map(({ url }) => url),
  )
  const refused = checked.invalid.map(({ name, message }): Finding => {
    return { path: ['viewer', 'query', name], concern: { code: 'refused_value', message } }
  })
  return {
    matchedRuleId: rule?.id ?? null,
    matchedRuleName: rule?.name ?? null,
    tabs,
    filling: checked,
    trace: compiled?.trace(viewer) ?? [],
    warnings: [...(policy === null ? [] : lint(policy, now, own.variables, own.urls)), ...refused],
  }
}

/** The tabs as on the launcher: filled, or unchanged while a value is missing or refused. */
export function launcherTabs({ tabs, filling }: Pick<Tried, 'tabs' | 'filling'>): Tab[] {
  if (!isComplete(filling)) return tabs
  const { values } = filling
  return tabs.map(({ url, ...texts }) => {
    const filled = Object.entries(texts).map(([name, text]) => [name, fillText(text, values)])
    return { url: fillLink(url, values), ...Object.fromEntries(filled) }
  })
}

function tab({ url, note, section }: ShownTab): Tab {
  // A new field of tabs does not compile until it is added here.
  const fields = { note, section } satisfies Record<Exclude<keyof Tab, 'url'>, unknown>
  return { url, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) }
}
