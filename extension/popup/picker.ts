import { BOUNDS } from '../../src/bundles/content/content.ts'
import { count } from '../../src/core/words.ts'
import { type ListedBundle, OpenallError } from '../../src/sdk/openall.ts'
import { clientOf } from '../parts/connection.ts'
import type { Target } from '../parts/draft.ts'
import type { Instance } from '../parts/instances.ts'
import { el, icon } from './elements.ts'

interface Picking {
  instance: Instance
  /** Whether it is a new bundle now. */
  isNew: boolean
  /** Null for a new bundle. */
  picked(target: Target | null): void
  back(): void
}

const SHOWN = 20
const TYPING_MS = 150

/** Chooses a new bundle, or one of the account's, found while typing. */
export function pickerView({ instance, isNew, picked, back }: Picking): HTMLElement[] {
  const client = clientOf(instance)
  const list = el('ul', { class: 'found', id: 'found' })
  const status = el('p', { class: 'hint', role: 'status' })
  let ending = new AbortController()
  const search = async () => {
    ending.abort()
    const { signal } = (ending = new AbortController())
    const q = field.value.trim()
    try {
      const { bundles } = await client.listBundles({ limit: SHOWN, ...(q === '' ? {} : { q }) }, { signal, retries: 0 })
      status.textContent =
        bundles.length > 0 ? '' : q === '' ? 'You have no bundles yet.' : 'None of your bundles has this.'
      list.replaceChildren(...bundles.map((bundle) => el('li', {}, choiceOf(bundle, picked))))
    } catch (error) {
      if (error instanceof OpenallError && error.code === 'ABORTED') return
      status.textContent = error instanceof Error ? error.message : String(error)
    }
  }
  let timer: ReturnType<typeof setTimeout>
  const field: HTMLInputElement = el('input', {
    type: 'search',
    id: 'search',
    'aria-label': 'Search your bundles',
    'aria-controls': 'found',
    placeholder: 'Search your bundles',
    maxlength: BOUNDS.title,
    autocomplete: 'off',
    oninput: () => {
      clearTimeout(timer)
      timer = setTimeout(search, TYPING_MS)
    },
  })
  void search()
  const fresh = el(
    'button',
    { type: 'button', id: 'fresh', 'aria-pressed': String(isNew), onclick: () => picked(null) },
    'A new bundle',
  )
  const leave = el('button', { type: 'button', class: 'quiet', id: 'back', onclick: back }, icon('back'), 'Back')
  return [
    el('div', { class: 'heading' }, leave, el('h2', {}, 'Save into')),
    el('div', { class: 'sheet' }, el('div', { class: 'searching' }, fresh, field, status), list),
  ]
}

function choiceOf({ slug, title, urls }: ListedBundle, picked: Picking['picked']): HTMLElement {
  const isFull = urls.length >= BOUNDS.urls
  return el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      disabled: isFull,
      onclick: () => picked({ slug, title: title ?? '', links: urls.length }),
    },
    el('bdi', {}, title || slug),
    el('span', { class: 'hint' }, isFull ? 'full' : count(urls.length, 'link')),
  )
}
