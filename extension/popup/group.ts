import { count } from '../../src/core/words.ts'
import { groupOf } from '../parts/groups.ts'
import type { OpenInGroup } from '../parts/handover.ts'
import { changeWords, type GroupState, saveBack, stateOf } from '../parts/living-group.ts'
import { el } from './elements.ts'

// On a tab of a group that was opened from a bundle: what is new there, and what the group has more or less.

const place = document.querySelector<HTMLElement>('#group')!

/** Shows the group of the current tab, if it was opened from a bundle. */
export async function showGroup(windowId: number | null): Promise<void> {
  const where = windowId === null ? { currentWindow: true } : { windowId }
  const [{ groupId = -1 } = {}] = await chrome.tabs.query({ active: true, ...where })
  if (groupId === -1 || (await groupOf(groupId)) === null) return
  place.hidden = false
  place.replaceChildren(el('p', {}, 'Looking for changes since you opened this group…'))
  await compare(groupId)
}

async function compare(groupId: number): Promise<void> {
  try {
    const state = await stateOf(groupId)
    place.hidden = state === null
    if (state !== null) place.replaceChildren(...linesOf(state, groupId))
  } catch (error) {
    refuse(error)
  }
}

function linesOf(state: GroupState, groupId: number): HTMLElement[] {
  const { title, fresh, may } = state
  const changed = changeWords(state)
  const name = el('p', { class: 'hint' }, 'Opened from ', el('bdi', {}, title))
  const lines = [
    fresh.length > 0 &&
      line(`${count(fresh.length, 'new link')} since you opened it`, 'open-fresh', `Open ${fresh.length}`, () =>
        openFresh(groupId, fresh),
      ),
    changed !== '' &&
      may !== null &&
      line(changed, 'save-back', may === 'edit' ? 'Save this group back' : 'Suggest this', () => save(state, groupId)),
  ].filter((one) => one !== false)
  return [name, ...(lines.length === 0 ? [el('p', {}, 'Nothing new since you opened it.')] : lines)]
}

function line(words: string, id: string, does: string, act: () => Promise<void>): HTMLElement {
  const button: HTMLButtonElement = el(
    'button',
    {
      type: 'button',
      class: 'small',
      id,
      onclick: () => {
        button.disabled = true
        act().catch(refuse)
      },
    },
    does,
  )
  return el('div', { class: 'line' }, el('p', {}, words), button)
}

async function openFresh(groupId: number, urls: string[]): Promise<void> {
  const message: OpenInGroup = { type: 'group:open', groupId, urls }
  await chrome.runtime.sendMessage(message)
  place.replaceChildren(el('p', { role: 'status' }, `Opening ${count(urls.length, 'link')}.`))
}

async function save(state: GroupState, groupId: number): Promise<void> {
  await saveBack(state)
  const done = state.may === 'edit' ? 'Saved. Earlier versions are kept.' : 'Suggested. Its editors decide.'
  const words = el('p', { role: 'status' }, done)
  place.replaceChildren(words)
  if (state.may === 'edit') {
    await compare(groupId)
    place.prepend(words)
  }
}

function refuse(error: unknown): void {
  const isConflict = (error as { code?: unknown }).code === 'VERSION_CONFLICT'
  const words = isConflict ? 'Somebody has just changed it. Open this again to compare.' : (error as Error).message
  place.replaceChildren(el('p', { role: 'alert' }, words.slice(0, 300)))
}
