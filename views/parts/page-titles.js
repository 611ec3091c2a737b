// @ts-check
import { announce, released } from './site.js'

// Suggests page titles for links that have none. They are requested in the background and stay in the fields until the form is
// sent. Typed or pasted titles are never replaced.

/** The suggestion for each requested link; null if there is none. @type {Map<string, string | null>} */
const suggestedTitles = new Map()
/** How many titles one request asks for. */
const MOST_TITLES = 25

/** The rows of links that are not removed, in the editor, on the home page and in an import. */
const TITLED_ROWS = '#links > .link-row:not(.removed), .builder .found-row:not(.removed), .plan [data-url]'

/** The remaining links of a list, with their title fields. */
function titledLinks() {
  return [...document.querySelectorAll(TITLED_ROWS)].flatMap((row) => {
    const url = row.querySelector('[name="url"]')
    const field = row.querySelector('[name="note"], [name^="note-"]')
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return []
    const address = url instanceof HTMLInputElement ? url.value : row.getAttribute('data-url')
    return address === null ? [] : [{ row, url: address.trim(), field }]
  })
}

/** Whether an address is a complete URL without blanks. @param {string} url */
const isWhole = (url) => /^https?:\/\/[^\s{}]+$/i.test(url)

/** Requests titles for the links in these rows that have none. @param {readonly Element[]} rows */
export async function suggestTitles(rows) {
  const address = document.getElementById('suggested-titles')?.dataset.titles
  const untitled = titledLinks().filter(({ row, field }) => rows.includes(row) && field.value.trim() === '')
  const urls = [...new Set(untitled.map(({ url }) => url))].filter((url) => isWhole(url) && !suggestedTitles.has(url))
  const asked = urls.slice(0, MOST_TITLES)
  if (address === undefined || asked.length === 0) return
  for (const url of asked) suggestedTitles.set(url, null)
  const body = new URLSearchParams(asked.map((url) => ['url', url]))
  const answer = await fetch(address, { method: 'POST', body }).catch(() => null)
  if (!answer?.ok || answer.body === null) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    await released()
    for (const line of lines) offerTitle(JSON.parse(line))
  }
}

/** @param {{ url: string, title: string | null, icon: { path: string, tone: string | null } | null }} found */
function offerTitle({ url, title, icon }) {
  if (icon !== null) document.dispatchEvent(new CustomEvent('iconfound', { detail: { url, icon } }))
  if (title === null) return
  suggestedTitles.set(url, title)
  for (const link of titledLinks()) {
    const isFree = link.url === url && link.field.value === '' && link.field !== document.activeElement
    if (isFree) writeTitleOf(link.field, title)
  }
  markSuggested()
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field @param {string} title */
function writeTitleOf(field, title) {
  field.value = title
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

const suggestedNow = () => titledLinks().filter(({ url, field }) => suggestedTitles.get(url) === field.value)

/** Marks the suggested titles, and shows their number. */
export function markSuggested() {
  const suggested = suggestedNow()
  const rows = suggested.map(({ row }) => row)
  for (const { row } of titledLinks()) row.classList.toggle('suggested', rows.includes(row))
  const bar = document.getElementById('suggested-titles')
  const says = bar?.querySelector('span')
  if (!bar || !says) return
  const text = suggested.length === 1 ? '1 title is from its page.' : `${suggested.length} titles are from their pages.`
  if (says.textContent !== text) says.textContent = text
  bar.hidden = suggested.length === 0
}

for (const type of ['input', 'answered']) document.addEventListener(type, markSuggested)
document.addEventListener('click', ({ target }) => {
  const bar = target instanceof Element && target.closest('button') ? target.closest('#suggested-titles') : null
  if (bar === null) return
  for (const { url, field } of suggestedNow()) {
    suggestedTitles.set(url, null)
    writeTitleOf(field, '')
  }
  announce('No titles taken')
})

// Requests the title of a typed address once its field is left.
document.addEventListener('change', ({ target }) => {
  const row = target instanceof HTMLInputElement && target.name === 'url' ? target.closest('.link-row') : null
  if (row !== null) void suggestTitles([row])
})
