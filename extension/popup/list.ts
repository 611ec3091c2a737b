import { BOUNDS } from '../../src/bundles/content/content.ts'
import { siteNameOf } from '../../src/icons/site.ts'
import { sentenceOf } from '../../src/imports/said.ts'
import { tileOf } from '../../views/parts/hues.ts'
import type { Draft } from '../parts/draft.ts'
import { type Link, leftOutWords, reasonWords } from '../parts/tab-list.ts'
import { el, icon } from './elements.ts'

interface Editing {
  draft: Draft
  /** Whether nothing may be changed now. */
  isLocked: boolean
  /** Changes a link; `isDrawn` unless what shows it is the field that was typed in. */
  change(at: number, fields: Partial<Link>, isDrawn: boolean): void
}

/** The links of a draft, each with its title and a button that leaves it out, and what is left out already. */
export function listView(editing: Editing): HTMLElement[] {
  const { links } = editing.draft
  const words = leftOutWords(editing.draft)
  const rows = links.flatMap((link, at) => {
    const isFirst = link.section !== '' && link.section !== links[at - 1]?.section
    const heading = isFirst ? [el('li', { class: 'section' }, el('h2', { dir: 'auto' }, link.section))] : []
    return [...heading, rowOf(link, at, editing)]
  })
  return [
    ...(rows.length === 0 ? [] : [el('ul', { class: 'rows' }, ...rows)]),
    ...(words === '' ? [] : [leftView(words, editing.draft)]),
  ]
}

function rowOf(link: Link, at: number, { isLocked, change }: Editing): HTMLElement {
  const { url, title, isRemoved, said } = link
  const { letter, hue } = tileOf(url)
  const called = title || siteNameOf(url)
  // The same id for both, so that the focus stays.
  const id = `turn-${at}`
  if (isRemoved) {
    const back = el(
      'button',
      {
        type: 'button',
        class: 'quiet small',
        id,
        disabled: isLocked,
        'aria-label': `Put back ${called}`,
        onclick: () => change(at, { isRemoved: false }, true),
      },
      'Put back',
    )
    return el('li', { class: 'row' }, el('p', { class: 'gone' }, 'Removed: ', el('bdi', {}, called)), back)
  }
  const field: HTMLInputElement = el('input', {
    id: `title-${at}`,
    value: title,
    maxlength: BOUNDS.note,
    'aria-label': `Title of ${siteNameOf(url)}, link ${at + 1}`,
    placeholder: 'Add a title',
    dir: 'auto',
    autocomplete: 'off',
    disabled: isLocked,
    oninput: () => change(at, { title: field.value }, false),
  })
  const remove = el(
    'button',
    {
      type: 'button',
      class: 'quiet remove',
      id,
      disabled: isLocked,
      title: 'Remove',
      'aria-label': `Remove ${called}`,
      onclick: () => change(at, { isRemoved: true }, true),
    },
    icon('cross'),
  )
  const remark = sentenceOf(said)
  return el(
    'li',
    { class: 'row' },
    el('span', { class: `tile ${hue}`, 'aria-hidden': 'true' }, letter),
    el(
      'div',
      { class: 'duo' },
      field,
      el('bdi', { class: 'host', dir: 'ltr', title: url }, siteNameOf(url)),
      remark !== '' && el('p', { class: 'remark' }, remark),
    ),
    remove,
  )
}

const MAX_SHOWN = 100

function leftView(words: string, { left }: Draft): HTMLElement {
  const items = left.slice(0, MAX_SHOWN).map(({ title, reason }) => {
    return el('li', {}, el('bdi', {}, title || 'No title'), `: ${reasonWords(reason)}`)
  })
  return el('details', { class: 'left' }, el('summary', {}, words), el('ul', {}, ...items))
}
