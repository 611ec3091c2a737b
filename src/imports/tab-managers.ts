import { emptyGroup, type FoundGroup, type FoundLink } from '../bundles/list/found.ts'
import { asList, asObject, asText, isObject } from '../core/untyped.ts'
import { PATH } from './markup.ts'

/** Tab managers whose exports are JSON. */
type TabManager = 'toby' | 'workona' | 'session-buddy' | 'tab-session-manager'

type Json = Record<string, unknown>

/** A link without its number. */
type Entry = Omit<FoundLink, 'line'>

/**
 * The collections, workspaces or sessions in the export of a tab manager. The `line` of a link is its number.
 * @returns null for JSON of another kind.
 */
export function readTabManager(format: TabManager, json: unknown): FoundGroup[] | null {
  if (!READERS[format].isIts(json)) return null
  let line = 0
  return READERS[format].groupsIn(json).map(({ title, entries }): FoundGroup => {
    return { ...emptyGroup(title), links: entries.map((entry) => ({ ...entry, line: (line += 1) })) }
  })
}

interface Group {
  title: string
  entries: Entry[]
}

interface Reader {
  isIts(json: unknown): boolean
  groupsIn(json: unknown): Group[]
}

const READERS: Record<TabManager, Reader> = {
  toby: {
    isIts: (json) => isObject(json) && Array.isArray(json.lists) && (json.version === 3 || hasAny(json.lists, 'cards')),
    groupsIn: (json) =>
      objectsIn(asObject(json).lists).map(({ title, cards, labels }) => ({
        title: asText(title),
        entries: objectsIn(cards).map(({ url, title, customTitle, customDescription }) =>
          entryOf(url, [asText(customTitle) || asText(title), asText(customDescription)], {
            tags: asList(labels).map(asText),
          }),
        ),
      })),
  },
  workona: {
    isIts: (json) => isObject(json) && isObject(json.Workspaces),
    groupsIn: (json) => [asObject(json).Workspaces, asObject(json)['Archived Workspaces']].flatMap(workspacesIn),
  },
  'session-buddy': {
    isIts: (json) =>
      isObject(json) &&
      (asText(json.format).startsWith('nxs.json.') ||
        hasAny(json.collections, 'folders') ||
        hasAny(json.sessions, 'windows')),
    groupsIn: (json) => {
      const { collections, sessions, history } = asObject(json)
      const kept = [...objectsIn(collections), ...objectsIn(sessions)]
      // The history has the open tabs of every few minutes; it is used only if nothing was saved.
      return (kept.length > 0 ? kept : objectsIn(history).slice(0, 1)).map(({ title, name, folders, windows }) => ({
        title: asText(title) || asText(name),
        entries: [
          ...inWindows(
            objectsIn(folders).map(({ title, links }) => ({ title: asText(title), tabs: objectsIn(links) })),
          ),
          ...inWindows(objectsIn(windows).map(({ tabs }) => ({ title: '', tabs: objectsIn(tabs) }))),
        ],
      }))
    },
  },
  'tab-session-manager': {
    isIts: (json) => {
      const sessions = Array.isArray(json) ? json : [json]
      return sessions.length > 0 && sessions.every((one) => isObject(one) && 'windows' in one && 'date' in one)
    },
    groupsIn: (json) =>
      objectsIn(Array.isArray(json) ? json : [json]).map(({ name, windows, tag }) => {
        const tags = asList(tag)
          .map(asText)
          .filter((text) => !OWN_TAG.test(text))
        const all = objectsIn(windows).map((window) => ({ title: '', tabs: objectsIn(window).sort(byIndex) }))
        return { title: asText(name), entries: inWindows(all, { tags }) }
      }),
  },
}

/** The known tab managers, each recognised by its own fields. */
export const TAB_MANAGERS = Object.keys(READERS) as TabManager[]

/** Tags that Tab Session Manager sets itself, such as that of a session saved at intervals. */
const OWN_TAG = /^(?:regular|winClose|browserClose|temp|_.*)$/

function byIndex(one: Json, other: Json): number {
  return Number(one.index ?? 0) - Number(other.index ?? 0)
}

/** The workspaces in each of Workona’s sections. Their resources have sections too, which are kept. */
function workspacesIn(sections: unknown): Group[] {
  return objectsIn(sections).flatMap(({ title: outer, workspaces }) =>
    objectsIn(workspaces).map(({ title, resources, tabs }) => {
      const kept = objectsIn(resources).flatMap(({ title: section, resources: inner }) =>
        objectsIn(inner).map(({ url, title, description }) =>
          entryOf(url, [asText(title), asText(description)], { section: asText(section) }),
        ),
      )
      const open = objectsIn(tabs).map(({ url, title }) =>
        entryOf(url, [asText(title)], { section: kept.length > 0 ? 'Tabs' : '' }),
      )
      const names = [asText(outer), asText(title)].filter((name) => name !== '')
      return { title: names.join(PATH), entries: [...kept, ...open] }
    }),
  )
}

/** The tabs of windows; each of several windows is a section. */
function inWindows(windows: readonly { title: string; tabs: Json[] }[], more: { tags?: string[] } = {}): Entry[] {
  return windows.flatMap(({ title, tabs }, index) => {
    const section = title === '' && windows.length > 1 ? `Window ${index + 1}` : title
    return tabs.map(({ url, title }) => entryOf(url, [asText(title)], { ...more, section }))
  })
}

function entryOf(url: unknown, texts: readonly string[], { tags = [], section = '' }: Partial<Entry>): Entry {
  const address = asText(url)
  const note = texts.filter((text) => text !== '' && text !== address).join('\n')
  return {
    url: address,
    text: address || note,
    ...(note === '' ? {} : { note }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(section === '' ? {} : { section }),
  }
}

/** The objects in a list, or in an object with ids as keys. */
function objectsIn(json: unknown): Json[] {
  return (isObject(json) ? Object.values(json) : asList(json)).filter(isObject)
}

function hasAny(list: unknown, key: string): boolean {
  return asList(list).some((one) => isObject(one) && Array.isArray(one[key]))
}
