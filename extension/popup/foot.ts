import { BOUNDS } from '../../src/bundles/content/content.ts'
import { count } from '../../src/core/words.ts'
import { type Draft, keptLinks } from '../parts/draft.ts'
import type { Instance } from '../parts/instances.ts'
import { noRoom, signedOut } from '../parts/saving.ts'
import { el } from './elements.ts'

interface Foot {
  draft: Draft
  instance: Instance
  /** Whether it was begun before the popup was opened. */
  isOld: boolean
  /** How many bundles without an account are kept. */
  unclaimed: number
  save(): void
  keepFirst(): void
  startOver(): void
  pick(): void
  showUnclaimed(): void
}

/** Whether a draft may not be changed: it is being saved, or may have been, or a part of it is. */
export function isLocked({ state, isUnsure, made }: Draft): boolean {
  return state !== 'open' || isUnsure || made.length > 0
}

/** Where the links go, what is wrong with that, and the button that saves. */
export function footView(foot: Foot): HTMLElement[] {
  const { draft, instance, unclaimed, save } = foot
  const kept = keptLinks(draft).length
  const isFull = draft.target !== null && draft.target.links !== null && draft.target.links + kept > BOUNDS.urls
  const isDisabled = kept === 0 || draft.state === 'saving' || isFull
  return [
    ...noticeView(foot, kept),
    ...(instance.account !== null ? [intoView(foot)] : []),
    el(
      'button',
      { type: 'button', class: 'primary', id: 'save', disabled: isDisabled, onclick: save },
      saveWords(draft, kept),
    ),
    ...(unclaimed === 0
      ? []
      : [
          el(
            'button',
            { type: 'button', class: 'quiet small', id: 'unclaimed', onclick: foot.showUnclaimed },
            `Saved without an account (${unclaimed})`,
          ),
        ]),
  ]
}

function saveWords({ state, target, made, isUnsure }: Draft, kept: number): string {
  if (state === 'saving') return 'Saving…'
  if (isUnsure) return 'Save again'
  if (target !== null) return `Add ${count(kept, 'link')}`
  const parts = Math.ceil(kept / BOUNDS.urls)
  if (made.length > 0) return `Save the other ${count(parts - made.length, 'bundle')}`
  return parts > 1 ? `Save ${parts} bundles` : `Save ${count(kept, 'link')}`
}

/** One notice at a time, with the button that it is about. */
function noticeView({ draft, instance, isOld, keepFirst, startOver }: Foot, kept: number): HTMLElement[] {
  const { target, made } = draft
  const trouble = draft.trouble ?? (instance.account?.hasEnded ? signedOut(instance.name) : null)
  const again = el('button', { type: 'button', class: 'small', id: 'over', onclick: startOver }, 'Start over')
  if (trouble !== null) {
    const done = made.length === 0 ? '' : `${count(made.length, 'bundle')} saved. `
    const connect = el(
      'button',
      { type: 'button', class: 'small', id: 'connect', onclick: () => chrome.runtime.openOptionsPage() },
      'Sign in',
    )
    return [
      el(
        'div',
        { class: 'notice alert', role: 'alert' },
        el('p', {}, done + trouble.message),
        trouble.isSignedOut && connect,
        isLocked(draft) && again,
      ),
    ]
  }
  if (draft.state === 'saving') return []
  if (target !== null && target.links !== null && target.links + kept > BOUNDS.urls)
    return [el('div', { class: 'notice over' }, el('p', {}, noRoom(target.title, target.links, kept)))]
  if (kept > BOUNDS.urls && target === null) {
    const words = `A bundle holds ${BOUNDS.urls} links, so these ${kept} make ${Math.ceil(kept / BOUNDS.urls)}.`
    const first = el(
      'button',
      { type: 'button', class: 'small', id: 'first', onclick: keepFirst },
      `Keep the first ${BOUNDS.urls}`,
    )
    return [el('div', { class: 'notice' }, el('p', {}, words), first)]
  }
  return isOld ? [el('div', { class: 'notice' }, el('p', {}, 'You began this list earlier.'), again)] : []
}

function intoView({ draft, pick }: Foot): HTMLElement {
  const { target } = draft
  const name = target === null ? 'a new bundle' : target.title || target.slug
  return el(
    'div',
    { class: 'into' },
    el('p', {}, 'Into ', el('bdi', {}, name)),
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        id: 'pick',
        'aria-label': 'Change the bundle',
        disabled: isLocked(draft),
        onclick: pick,
      },
      'Change',
    ),
  )
}
