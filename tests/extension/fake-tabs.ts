import type { Opening } from '../../extension/worker/openings.ts'
import { fakeLocks } from './fake-chrome.ts'

type Tab = Pick<
  chrome.tabs.Tab,
  'id' | 'index' | 'windowId' | 'active' | 'url' | 'status' | 'groupId' | 'incognito' | 'discarded' | 'openerTabId'
> & { id: number }

/** What an ended worker would never hear. */
export class Ended extends Error {}

/** A browser, as far as an opening asks it: with tabs, groups and the memory of a session. */
export function fakeTabs() {
  const tabs: Tab[] = []
  const groups = new Map<number, { title?: string; color?: string; shared: boolean }>()
  const session: Record<string, unknown> = {}
  const worker = {
    /** Whether the worker ends before it hears what the browser did. */
    endsBefore: (_: 'create' | 'group') => false,
    hasEnded: false,
  }
  const answers = (what: 'create' | 'group') => {
    worker.hasEnded ||= worker.endsBefore(what)
    if (worker.hasEnded) throw new Ended()
  }
  let last = 0
  const found = (id: number) => {
    const tab = tabs.find((one) => one.id === id)
    if (tab === undefined) throw new Error(`No tab with id: ${id}.`)
    return { ...tab }
  }
  const listeners = new Set<unknown>()
  const event = {
    addListener: (one: unknown) => listeners.add(one),
    removeListener: (one: unknown) => listeners.delete(one),
  }
  const add = (fields: Partial<Tab>): Tab => {
    last += 1
    const tab: Tab = {
      id: last,
      index: tabs.length,
      windowId: 1,
      active: false,
      status: 'loading',
      groupId: -1,
      incognito: false,
      discarded: false,
      ...fields,
    }
    tabs.push(tab)
    return tab
  }
  const api = {
    runtime: { getURL: () => 'chrome-extension://id/' },
    storage: {
      session: {
        get: async (key: string) => structuredClone(key in session ? { [key]: session[key] } : {}),
        set: async (fields: object) => {
          if (worker.hasEnded) throw new Ended()
          Object.assign(session, structuredClone(fields))
        },
      },
    },
    windows: { get: async () => ({ id: 1 }), update: async () => ({}) },
    tabs: {
      onUpdated: event,
      onRemoved: event,
      get: async (id: number) => found(id),
      query: async ({ windowId, groupId }: { windowId?: number; groupId?: number }) =>
        tabs
          .filter((tab) => windowId === undefined || tab.windowId === windowId)
          .filter((tab) => groupId === undefined || tab.groupId === groupId)
          .map((tab) => ({ ...tab })),
      update: async (id: number, { active }: { active: boolean }) => {
        for (const tab of tabs) tab.active = tab.id === id && active
        return found(id)
      },
      create: async ({ url, active, openerTabId }: chrome.tabs.CreateProperties) => {
        const tab = add({ url: String(url), active: active ?? true, openerTabId: openerTabId ?? 0 })
        answers('create')
        return { ...tab }
      },
      group: async ({ tabIds, groupId }: { tabIds: number[]; groupId?: number }) => {
        const id = groupId ?? 100 + groups.size
        if (!groups.has(id)) groups.set(id, { shared: false })
        for (const tab of tabs) if (tabIds.includes(tab.id)) tab.groupId = id
        answers('group')
        return id
      },
    },
    tabGroups: {
      get: async (id: number) => ({ id, ...groups.get(id) }),
      update: async (id: number, fields: object) => void Object.assign(groups.get(id) ?? {}, fields),
    },
  }
  Object.assign(globalThis, { chrome: api })
  fakeLocks()
  return {
    tabs,
    groups,
    worker,
    listeners,
    add,
    /** Whether the session still has something to open. */
    openings: () => (session.openings ?? []) as Opening[],
    /** Lets the tabs that load be loaded. */
    load: () => {
      for (const tab of tabs) tab.status = 'complete'
    },
  }
}
