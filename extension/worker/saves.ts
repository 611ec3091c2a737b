import { keepDraft, newDraft } from '../parts/draft.ts'
import { isOwnPage } from '../parts/handover.ts'
import { readInstances } from '../parts/instances.ts'
import { type SaveMessage, saveDraft } from '../parts/saving.ts'
import { type Found, listOf, proposedTitle, tabsFound } from '../parts/tab-list.ts'

// Saves for the popup, which closes when somebody looks elsewhere, and menus that open it with what was pressed.

chrome.runtime.onMessage.addListener((message: Partial<SaveMessage> | null, sender, answer) => {
  if (message?.type !== 'save' || typeof message.key !== 'string' || !isOwnPage(sender)) return
  saveDraft(message.key).finally(() => answer(null))
  return true
})

const MENUS = [
  { id: 'save-link', title: 'Save link to Openall', contexts: ['link'] },
  { id: 'save-page', title: 'Save this page to Openall', contexts: ['page'] },
  // Firefox alone has menus of tabs.
  { id: 'save-tabs', title: 'Save to Openall', contexts: ['tab'] },
] as const

chrome.runtime.onInstalled.addListener(async () => {
  await chrome.contextMenus.removeAll()
  for (const { id, title, contexts } of MENUS) {
    const menu = { id, title, contexts: [...contexts] } as unknown as chrome.contextMenus.CreateProperties
    try {
      chrome.contextMenus.create({ ...menu, documentUrlPatterns: ['http://*/*', 'https://*/*'] })
    } catch {
      // A browser without menus of this kind.
    }
  }
})

chrome.contextMenus.onClicked.addListener((info, tab) => {
  // At once, while the press counts; the draft is there before the popup has loaded.
  const opening = openPopup(tab?.windowId)
  return Promise.all([opening, keepPressed(info, tab)])
})

/** Begins a draft with the link, the page or the tabs that a menu was opened on. */
async function keepPressed(info: chrome.contextMenus.OnClickData, tab: chrome.tabs.Tab | undefined): Promise<void> {
  const { all } = await readInstances()
  const found = await foundIn(info, tab)
  const list = listOf(
    found,
    all.map(({ origin }) => origin),
  )
  await keepDraft(newDraft({ kind: 'link', id: '' }, list, proposedTitle(list.links, new Date())))
}

async function foundIn(info: chrome.contextMenus.OnClickData, tab: chrome.tabs.Tab | undefined): Promise<Found[]> {
  const { linkUrl, pageUrl, menuItemId } = info
  if (menuItemId === 'save-link') {
    // Firefox says what the link says.
    const { linkText = '' } = info as { linkText?: string }
    return [{ url: linkUrl ?? '', title: linkText, section: '' }]
  }
  const selected =
    menuItemId === 'save-tabs' && tab?.highlighted === true
      ? await chrome.tabs.query({ windowId: tab.windowId, highlighted: true })
      : []
  if (selected.length > 1) return tabsFound(selected, [])
  return [{ url: tab?.url ?? pageUrl ?? '', title: tab?.title ?? '', section: '' }]
}

/** Opens the popup at the button; where that can't be, in a small window. */
async function openPopup(windowId: number | undefined): Promise<void> {
  const options = windowId === undefined ? {} : { windowId }
  try {
    await chrome.action.openPopup(options)
  } catch {
    const url = `popup.html?${new URLSearchParams({ window: String(windowId ?? chrome.windows.WINDOW_ID_CURRENT) })}`
    await chrome.windows.create({ url, type: 'popup', width: 400, height: 640 })
  }
}
