import { afterEach } from 'bun:test'
import { IDBFactory } from 'fake-indexeddb'

/** What the extension's parts use of the browser: its storage and its locks. */
type Chrome = Pick<typeof chrome, 'storage'>

function areaOf(kept: Record<string, unknown>) {
  return {
    get: async (names: string | string[]) =>
      Object.fromEntries([names].flat().flatMap((name) => (name in kept ? [[name, structuredClone(kept[name])]] : []))),
    set: async (values: Record<string, unknown>) => void Object.assign(kept, structuredClone(values)),
    remove: async (name: string) => void delete kept[name],
  }
}

/** Gives a test a browser with empty storage. @returns what is stored, by area. */
export function fakeChrome(): { local: Record<string, unknown>; session: Record<string, unknown> } {
  const kept = { local: {}, session: {} }
  const storage = { local: areaOf(kept.local), session: areaOf(kept.session) } as unknown as Chrome['storage']
  Object.assign(globalThis, { chrome: { storage } satisfies Chrome, indexedDB: new IDBFactory() })
  fakeLocks()
  return kept
}

/** Gives a test the browser's locks: what is asked for under one name is done in turn. */
export function fakeLocks(): void {
  const turns = new Map<string, Promise<unknown>>()
  const request = <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(name) ?? Promise.resolve()).then(act, act)
    turns.set(name, turn)
    return turn
  }
  Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true })
}

/** Takes the browser away after each test: other files of a worker have none. */
export function leaveNoChrome(): void {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'chrome')
    Reflect.deleteProperty(globalThis, 'indexedDB')
    Reflect.deleteProperty(navigator, 'locks')
  })
}
