import type { Content } from '../../db/schema.ts'
import {
  BOUNDS,
  CONTENT,
  eachValue,
  pick,
  SETTING_NAMES,
  type SettingName,
  type ValueName,
} from '../bundles/content/content.ts'
import type { FoundTexts, Settings } from '../bundles/list/found.ts'
import { clip } from './clean.ts'
import type { FoundList, ImportedBundle, ImportedLink } from './plan.ts'

// Bundles of a list that is too long for one. The extension uses this too, so it must not import server code.

/** Splits a list that is too long for one bundle, keeping its order. Without a title, each part is named by its sections. */
export function splitList({ links, ...list }: FoundList): ImportedBundle[] {
  const parts = bundlesOf(
    eachValue((name) => list[name] ?? ''),
    links,
  )
  const { variables } = list
  const titles = parts.length > 1 && list.title === null ? titlesBySection(parts) : parts.map(({ title }) => title)
  return parts.map((part, at) => ({
    ...part,
    title: titles[at] ?? null,
    ...settingsOf(list),
    ...(variables === undefined ? {} : { variables }),
  }))
}

/** A title of the sections of links: `Design`, `Design and Code`, `Design and 3 more`; null without any. */
export function titleOfSections(sections: readonly string[]): string | null {
  const [first, second, ...more] = new Set(sections.filter((name) => name !== ''))
  if (first === undefined || second === undefined) return first ?? null
  return more.length === 0 ? `${first} and ${second}` : `${first} and ${more.length + 1} more`
}

/** A title for each part, of its sections; equal ones are numbered. Null without sections. */
function titlesBySection(parts: readonly ImportedBundle[]): (string | null)[] {
  const names = parts.map(({ links }) => titleOfSections(links.map(({ metadata }) => metadata.section ?? '')))
  const seen = new Map<string, number>()
  return names.map((name) => {
    if (name === null) return null
    const all = names.filter((other) => other === name).length
    const number = (seen.get(name) ?? 0) + 1
    seen.set(name, number)
    const suffix = all === 1 ? '' : ` (${number} of ${all})`
    return clip(name, BOUNDS.title - suffix.length) + suffix
  })
}

export function settingsOf(bundle: Settings): Settings {
  return pick(
    SETTING_NAMES.filter((name) => bundle[name] !== undefined),
    bundle as Pick<Content, SettingName>,
  )
}

/** A group's texts, clipped to the lengths that bundles accept; null for none. */
export function clipped(texts: FoundTexts | undefined): Record<ValueName, string | null> {
  return eachValue((name) => {
    const field = CONTENT[name]
    const text = texts?.[name] ?? ''
    return (field.kind === 'text' ? clip(text, field.max) : text) || null
  })
}

export function bundlesOf(texts: FoundTexts, links: readonly ImportedLink[]): ImportedBundle[] {
  const { title } = texts
  const parts = Math.ceil(links.length / BOUNDS.urls)
  return Array.from({ length: parts }, (_, part) => {
    const suffix = parts === 1 ? '' : ` (${part + 1} of ${parts})`
    return {
      ...clipped(texts),
      title: title === '' ? null : clip(title, BOUNDS.title - suffix.length) + suffix,
      links: links.slice(part * BOUNDS.urls, (part + 1) * BOUNDS.urls),
    }
  })
}
