import { forgetGroup } from '../parts/groups.ts'
import { hostPattern, readInstances } from '../parts/instances.ts'
import './find.ts'
import { takeHandovers } from './handovers.ts'
import './saves.ts'
import { inTurn } from '../parts/turns.ts'

// The worker ends whenever it is idle: it keeps nothing in variables that must outlive a message.

// Content scripts could read what is stored there otherwise: in Chromium from 140. Tokens are out of their reach everywhere.
chrome.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' })

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === 'install') chrome.runtime.openOptionsPage()
})
chrome.storage.local.onChanged.addListener((changes) => {
  if ('instances' in changes) syncLaunchers().then(runInOpenPages)
})
chrome.runtime.onStartup.addListener(syncLaunchers)
takeHandovers()
chrome.tabGroups?.onRemoved.addListener(({ id }) => forgetGroup(id))

const ID = 'launchers'
const SCRIPT = 'launcher.js'

/**
 * Runs the content script on the pages of the connected instances, and nowhere else.
 * @returns the patterns of their addresses.
 */
function syncLaunchers(): Promise<string[]> {
  return inTurn('launchers', async () => {
    // The permission is asked for with the first instance.
    if (!(await chrome.permissions.contains({ permissions: ['scripting'] }))) return []
    const { all } = await readInstances()
    const matches = [...new Set(all.map(({ origin }) => hostPattern(origin)))]
    const registered = await chrome.scripting.getRegisteredContentScripts({ ids: [ID] })
    if (registered.length > 0) await chrome.scripting.unregisterContentScripts({ ids: [ID] })
    if (matches.length > 0)
      await chrome.scripting.registerContentScripts([{ id: ID, matches, js: [SCRIPT], runAt: 'document_end' }])
    return matches
  })
}

/** Runs it in pages that were open before: somebody connects because a launcher is before them. */
async function runInOpenPages(matches: string[]): Promise<void> {
  if (matches.length === 0) return
  // One that is not loaded gets it when it is.
  for (const { id } of await chrome.tabs.query({ url: matches }))
    if (id !== undefined)
      await chrome.scripting.executeScript({ target: { tabId: id }, files: [SCRIPT] }).catch(() => {})
}
