// @ts-check

// Converts pasted or dropped links with titles to lines of Markdown. The field then shows the text that the server reads, which
// can be edited and undone. Parsing runs no script and loads nothing.

/** Longer HTML is pasted as it would be without this script. */
const MAX_RICH_HTML = 4 * 1024 * 1024
/** The longest result; beyond it, lines without a link are dropped first. */
const MAX_RICH_TEXT = 256 * 1024

/**
 * A line with texts and links; `level` is its heading level, or 0.
 * @typedef {{ level: number, pieces: (string | RichLink)[] }} RichLine
 */
/** @typedef {{ url: string, title: string, isPicture: boolean }} RichLink */

const RICH_BLOCKS =
  'address,article,aside,blockquote,caption,center,dd,details,dialog,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hgroup,hr,li,main,menu,nav,ol,p,pre,section,summary,table,tr,ul'
/** Elements that are not displayed, and the bullets of Word. */
const RICH_HIDDEN =
  'script,style,template,noscript,title,select,textarea,svg,xml,[hidden],[data-style*="mso-list:ignore" i],[data-style*="mso-list: ignore" i]'
/** A cell that contains one of these is used for layout. */
const RICH_LAYOUT = 'table, ul, ol, p + p, div + div, br, h1, h2, h3, h4, h5, h6'
const RICH_HEADINGS = 'h1,h2,h3,h4,h5,h6,[role="heading"]'

/** A web address in an HTML attribute; null for any other. @param {string | null} written */
function webAddress(written) {
  const url = (written ?? '').trim().replace(/^\/\//, 'https://')
  return /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url) ? url : null
}

/** @param {string} text */
const onOneLine = (text) => text.replace(/[\s\u00a0]+/g, ' ').trim()

/** An address without the parts that are often omitted on display. @param {string} url */
const barely = (url) => url.replace(/^https?:\/\//i, '').replace(/^www\.|\/$/g, '')

/** Whether a title only repeats the address, complete or cut off. @param {string} title @param {string} url */
function isAddress(title, url) {
  const cut = title.replace(/(?:…|\.\.\.)$/, '')
  if (cut !== title && cut !== '' && barely(url).startsWith(barely(cut))) return true
  return barely(title) === barely(url) || webAddress(title) === url
}

/** The time of a message, which chats link to it: `10:03 AM`, `Today at 10:03`, `5m`, `2 hours ago`. */
const RICH_TIME = new RegExp(
  [
    String.raw`^(?:(?:today|yesterday|at|on|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|\d{1,4}(?:st|nd|rd|th)?\.?),?\s+){0,6}\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?$`,
    String.raw`^(?:\d+|an?)\s(?:second|minute|hour|day|week|month|year)s?\sago$`,
    String.raw`^\d+\s?(?:s|m|h|d|w|mo|y|min|hr)s?$`,
    '^(?:just now|yesterday)$',
  ].join('|'),
  'i',
)

/** The text of an anchor, and its link. @param {Element} anchor @param {string} url @returns {[string, RichLink]} */
function richLink(anchor, url) {
  const inside = anchor.querySelector(RICH_HEADINGS) ?? anchor
  const [first] = richLines(inside)
  const text = (first?.pieces ?? []).map((piece) => (typeof piece === 'string' ? piece : piece.title)).join('')
  const title = onOneLine(text)
  if (title !== '') return [text, { url, title: isAddress(title, url) ? '' : title, isPicture: false }]
  const alternative = anchor.querySelector('img[alt]:not([alt=""])')?.getAttribute('alt')
  const called = alternative ?? anchor.getAttribute('aria-label') ?? anchor.getAttribute('title') ?? ''
  return ['', { url, title: isAddress(called, url) ? '' : onOneLine(called), isPicture: true }]
}

/** The lines of an element, in order. @param {Element} root */
function richLines(root) {
  /** @type {RichLine[]} */
  const lines = []
  /** @type {RichLine} */
  let line = { level: 0, pieces: [] }
  const end = () => {
    if (line.pieces.some((piece) => typeof piece !== 'string' || piece.trim() !== '')) lines.push(line)
    line = { level: line.level, pieces: [] }
  }
  /** @param {Node} node @param {{ isPre: boolean, isCell: boolean }} within */
  const walk = (node, within) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const [first = '', ...rest] = within.isPre ? (node.nodeValue ?? '').split('\n') : [node.nodeValue ?? '']
      line.pieces.push(first)
      for (const text of rest) {
        end()
        line.pieces.push(text)
      }
    }
    if (!(node instanceof Element) || node.matches(RICH_HIDDEN)) return
    const url = node !== root && node.localName === 'a' ? webAddress(node.getAttribute('href')) : null
    if (url !== null) {
      const [text, link] = richLink(node, url)
      line.pieces.push(
        /^\s/.test(text) ? ' ' : '',
        RICH_TIME.test(link.title) ? link.title : link,
        /\s$/.test(text) ? ' ' : '',
      )
      return
    }
    const isCell = node.matches('td, th') && node.querySelector(RICH_LAYOUT) === null
    if (isCell && line.pieces.some((piece) => typeof piece !== 'string' || piece.trim() !== '')) line.pieces.push(' | ')
    const isHeading = node.matches(RICH_HEADINGS)
    const isBlock = isHeading || node.matches(RICH_BLOCKS) || (node.matches('td, th') && !isCell)
    if (within.isCell && isBlock) line.pieces.push(' ')
    else if (isBlock || node.localName === 'br') end()
    if (isHeading) line.level = Number(node.localName.slice(1) || node.ariaLevel) || 2
    const isPre = within.isPre || node.matches('pre, [data-style*="white-space: pre"], [data-style*="white-space:pre"]')
    for (const child of node.childNodes) walk(child, { isPre, isCell: within.isCell || isCell })
    if (isBlock && !within.isCell) end()
    if (isHeading) line.level = 0
  }
  walk(root, { isPre: false, isCell: false })
  end()
  return lines
}

/** A link as Markdown, or its bare address if it has no title. @param {RichLink} link */
function writtenLink({ url, title }) {
  let open = 0
  const isPaired = [...url].every((letter) => (open += letter === '(' ? 1 : letter === ')' ? -1 : 0) >= 0) && open === 0
  const safe = url.replace(/[\s<>]/g, encodeURIComponent)
  const address = isPaired ? safe : safe.replaceAll('(', '%28').replaceAll(')', '%29')
  return title === '' ? address : `[${title.replace(/[\\[\]]/g, '\\$&')}](${address})`
}

/** A line as text; a heading without links begins with `#` marks. @param {RichLine} line @param {Set<string>} titled */
function writtenLine({ level, pieces }, titled) {
  /** @type {(string | RichLink)[]} */
  const kept = []
  let between = ''
  for (const piece of pieces) {
    const last = kept.at(-1)
    if (typeof piece === 'string') {
      between += piece
      continue
    }
    // A picture beside a title with the same link, or the icon beside a heading.
    if (piece.isPicture && (titled.has(piece.url) || level > 0)) continue
    // Programs split a link where its format changes.
    if (typeof last === 'object' && last.url === piece.url && between.trim() === '') {
      last.title = onOneLine(last.title + between + piece.title)
    } else kept.push(between, piece)
    between = ''
  }
  kept.push(between)
  const hasLink = kept.some((piece) => typeof piece !== 'string')
  const text = onOneLine(kept.map((piece) => (typeof piece === 'string' ? piece : writtenLink(piece))).join(''))
  return { text: level > 0 && !hasLink && text !== '' ? `${'#'.repeat(level)} ${text}` : text, hasLink, level }
}

/** The web addresses in a plain text. @param {string} plain */
function addressesIn(plain) {
  const written = plain.match(/https?:\/\/[^\s<>"|\]]+/gi) ?? []
  return new Set(written.flatMap((url) => [url, url.replace(/[).,;:!?'*_]+$/, '')]).map(barely))
}

/**
 * Whether the plain text has every address and title of the rich text. A table or Markdown also has the headings.
 * @param {string} plain @param {RichLine[]} lines
 */
function isAllPlain(plain, lines) {
  const addresses = addressesIn(plain)
  const words = onOneLine(plain)
  const isMarked = /^\s{0,3}#{1,6}\s|\t/m.test(plain)
  return lines.every(
    ({ level, pieces }) =>
      (level === 0 || isMarked) &&
      pieces.every(
        (piece) => typeof piece === 'string' || (addresses.has(barely(piece.url)) && words.includes(piece.title)),
      ),
  )
}

/** HTML without styles and handlers, whose refusal by the page's policy would fill the console. @param {string} html */
function unstyled(html) {
  const kept = html.replace(/<(\/?)style\b/gi, '<$1template')
  return kept.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\s(?=(?:style|on[a-z]+)\s*=)/gi, ' data-'))
}

/**
 * The pasted or dropped lines as Markdown; null if the plain text is enough.
 * @param {string} html @param {string} plain
 */
function richText(html, plain) {
  if (html.length > MAX_RICH_HTML || !/<a\s/i.test(html)) return null
  const lines = richLines(new DOMParser().parseFromString(unstyled(html), 'text/html').body)
  const links = lines.flatMap(({ pieces }) => pieces.filter((piece) => typeof piece !== 'string'))
  if (links.length === 0 || isAllPlain(plain, lines)) return null
  const titled = new Set(links.filter(({ isPicture }) => !isPicture).map(({ url }) => url))
  let written = lines.map((line) => writtenLine(line, titled)).filter(({ text }) => text !== '')
  const size = () => written.reduce((sum, { text }) => sum + text.length + 1, 0)
  if (size() > MAX_RICH_TEXT) written = written.filter(({ hasLink, level }) => hasLink || level > 0)
  const all = written.length
  for (let over = size() - MAX_RICH_TEXT; over > 0; ) over -= (written.pop()?.text.length ?? 0) + 1
  const rest =
    all === written.length ? [] : [`… and ${all - written.length} more lines, which are too much to paste at once`]
  return [...written.map(({ text }, at) => (at > 0 && text.startsWith('#') ? `\n${text}` : text)), ...rest].join('\n')
}

/** The links in a list of addresses, or of addresses and titles in turn. @param {DataTransfer} data */
function listedText(data) {
  const named = data.getData('text/x-moz-url').split(/\r?\n/)
  const pairs = named.flatMap((url, at) => (at % 2 === 0 ? [{ url, title: onOneLine(named[at + 1] ?? '') }] : []))
  const links = pairs.filter(({ url }) => webAddress(url) !== null)
  if (links.length === 0) return null
  return links
    .map((link) => writtenLink({ ...link, title: isAddress(link.title, link.url) ? '' : link.title, isPicture: false }))
    .join('\n')
}

/**
 * Inserts a text at the caret like typing, so that it can be undone. As text, a thousand lines take Chromium seconds; as HTML, no
 * time, but Firefox has no HTML insertion in such fields.
 * @param {HTMLTextAreaElement} field @param {string} text
 */
function writeUndoably(field, text) {
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  if (document.execCommand('insertHTML', false, html) || document.execCommand('insertText', false, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
}

/** @param {ClipboardEvent | DragEvent} event */
function takeRich(event) {
  const field = event.target
  const data = event instanceof DragEvent ? event.dataTransfer : event.clipboardData
  if (!(field instanceof HTMLTextAreaElement) || !('rich' in field.dataset) || data === null) return
  const text = richText(data.getData('text/html'), data.getData('text/plain')) ?? listedText(data)
  if (text === null) return
  event.preventDefault()
  field.focus()
  const isDropped = event instanceof DragEvent
  if (isDropped) field.setSelectionRange(field.value.length, field.value.length)
  const begun = isDropped && field.value !== '' && !field.value.endsWith('\n') ? `\n${text}` : text
  writeUndoably(field, begun)
  const inputType = isDropped ? 'insertFromDrop' : 'insertFromPaste'
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType }))
}
document.addEventListener('paste', takeRich)
document.addEventListener('drop', takeRich)
