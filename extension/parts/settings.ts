import { inTurn } from './turns.ts'

/** What its user chose, for all instances. */
export interface Settings {
  /** Whether each section of a bundle gets a group of its own, where the browser has groups. */
  sectionsAsGroups: boolean
}

const DEFAULTS: Settings = { sectionsAsGroups: false }

export async function readSettings(): Promise<Settings> {
  const { settings } = await chrome.storage.local.get<{ settings?: Partial<Settings> }>('settings')
  return { ...DEFAULTS, ...settings }
}

export function changeSettings(fields: Partial<Settings>): Promise<void> {
  return inTurn('settings', async () =>
    chrome.storage.local.set({ settings: { ...(await readSettings()), ...fields } }),
  )
}
