import { count } from '../../src/core/words.ts'
import type { Draft, Made } from '../parts/draft.ts'
import { dropUnclaimed, type Unclaimed } from '../parts/kept-links.ts'
import { el, icon } from './elements.ts'

interface Result {
  draft: Draft
  /** Whether its links were copied; null where nobody pressed anything. */
  isCopied: boolean | null
  more(): void
}

/** The links of what was saved. */
export function resultView({ draft, isCopied, more }: Result): HTMLElement[] {
  const { made, target } = draft
  const [first] = made
  const heading =
    target !== null
      ? `Added to ${first?.title || first?.slug}`
      : made.length > 1
        ? `${made.length} bundles saved`
        : 'Saved'
  const status = isCopied === null ? '' : isCopied ? 'Copied. Paste it anywhere.' : 'Copying failed: copy it here.'
  return [
    el(
      'div',
      { class: 'sheet result' },
      el('h2', { id: 'saved', tabindex: '-1' }, heading),
      el('p', { class: 'hint', role: 'status' }, made.length > 1 ? status.replaceAll('it', 'them') : status),
      ...made.map((one) => madeView(one, target === null)),
    ),
    el('button', { type: 'button', id: 'more', onclick: more }, 'Save something else'),
  ]
}

function madeView({ url, title, editUrl, isPrivate }: Made, isNamed: boolean): HTMLElement {
  const edits = { href: editUrl ?? '', target: '_blank', rel: 'noopener' }
  return el(
    'div',
    { class: 'made' },
    isNamed && title !== '' && el('h3', { dir: 'auto' }, title),
    copyField(url, title === '' ? 'Link' : `Link of ${title}`),
    el(
      'div',
      { class: 'actions' },
      el('a', { class: 'button', href: url, target: '_blank', rel: 'noopener' }, 'Open'),
      editUrl !== null && el('a', { class: 'button', ...edits }, isPrivate ? 'Put in an account' : 'Edit'),
    ),
    isPrivate && editUrl !== null && el('p', { class: 'hint' }, PRIVATE),
    isPrivate && editUrl !== null && copyField(editUrl, 'Private link for editing'),
  )
}

const PRIVATE =
  'This private link puts it in an account, where you can edit it. You can find it here until it expires, and nowhere else.'

/** A link with a button that copies it. */
function copyField(url: string, label: string): HTMLElement {
  const field: HTMLInputElement = el('input', {
    value: url,
    readonly: true,
    'aria-label': label,
    dir: 'ltr',
    onfocus: () => field.select(),
  })
  const button = el(
    'button',
    {
      type: 'button',
      'aria-label': `Copy: ${label}`,
      onclick: async () => {
        button.textContent = await navigator.clipboard.writeText(url).then(
          () => 'Copied',
          () => 'Failed',
        )
      },
    },
    'Copy',
  )
  return el('div', { class: 'copy' }, field, button)
}

interface Kept {
  unclaimed: readonly Unclaimed[]
  back(): void
  changed(): void
}

const DATE = { day: 'numeric', month: 'long' } as const

/** The bundles without an account whose private links are kept. */
export function unclaimedView({ unclaimed, back, changed }: Kept): HTMLElement[] {
  const leave = el('button', { type: 'button', class: 'quiet', id: 'back', onclick: back }, icon('back'), 'Back')
  const items = unclaimed.map(({ url, title, claimUrl, until }, at) => {
    const called = title || url
    const forget = async () => {
      await dropUnclaimed(claimUrl)
      changed()
    }
    return el(
      'li',
      {},
      el('a', { href: url, target: '_blank', rel: 'noopener', dir: 'auto' }, called),
      el('p', { class: 'hint' }, `Until ${new Date(until).toLocaleDateString('en-GB', DATE)}`),
      el(
        'div',
        { class: 'actions' },
        el('a', { class: 'button', href: claimUrl, target: '_blank', rel: 'noopener' }, 'Put in an account'),
        el(
          'button',
          { type: 'button', class: 'quiet', id: `forget-${at}`, 'aria-label': `Forget ${called}`, onclick: forget },
          'Forget',
        ),
      ),
    )
  })
  const words = `${count(unclaimed.length, 'bundle')} without an account. To edit one, put it in an account.`
  return [
    el('div', { class: 'heading' }, leave, el('h2', {}, 'Saved without an account')),
    el('div', { class: 'sheet kept' }, el('p', { class: 'hint' }, words), el('ul', {}, ...items)),
  ]
}
