import { lexer, type Token, type Tokens } from 'marked'
import { routes } from '../core/routes.ts'
import { yieldToEventLoop } from '../core/scheduling.ts'
import { anchorOf, GUIDES, type GuideName, guideText, guideTitle } from './guides.ts'

/** A heading that can be found, with the sentences below it. */
export interface Place {
  href: string
  /** The title of its page. */
  page: string
  heading: string
  sentences: readonly string[]
}

export interface Found extends Pick<Place, 'href' | 'page' | 'heading'> {
  /** The sentence with the most words of the query. */
  sentence: string
}

/** The most characters and words of a query that are read, and the most places that are shown. */
export const QUERY_CHARACTERS = 100
const QUERY_WORDS = 8
export const FOUND_MOST = 20

/** A sentence longer than this is cut. */
const SENTENCE_CHARACTERS = 240

/** Every heading of every guide, in reading order. Yields to the event loop in between. */
export async function guidePlaces(): Promise<Place[]> {
  const all: Place[] = []
  for (const guide of GUIDES) {
    const started = performance.now()
    all.push(...placesOf(guide))
    await yieldToEventLoop(started)
  }
  return all
}

function placesOf(guide: GuideName): Place[] {
  const page = guideTitle(guide)
  const address = routes.docs.guide.href({ guide })
  const places: (Place & { sentences: string[] })[] = []
  for (const token of lexer(guideText(guide))) {
    if (token.type === 'heading') {
      const { depth, text } = token as Tokens.Heading
      const href = depth === 1 ? address : `${address}#${anchorOf(text)}`
      places.push({ href, page, heading: text.replaceAll('`', ''), sentences: [] })
    } else places.at(-1)?.sentences.push(...sentencesOf(token))
  }
  return places
}

/** The sentences of a block of Markdown; a row of a table is one. Code blocks and pictures have none. */
function sentencesOf(token: Token): string[] {
  if (token.type === 'table') {
    const { rows } = token as Tokens.Table
    return rows.map((cells) => cells.map(({ tokens }) => plain(tokens)).join(' · '))
  }
  if (token.type === 'list') return (token as Tokens.List).items.flatMap(({ tokens }) => tokens.flatMap(sentencesOf))
  return token.type === 'paragraph' || token.type === 'text' ? split(plain(token.tokens ?? [])) : []
}

/** The sentences of a text. */
export function split(text: string): string[] {
  return text.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((sentence) => sentence !== '')
}

/** The words of Markdown without its marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'image') return ''
      const { tokens: inner, text = '' } = token as { tokens?: Token[]; text?: string }
      return inner === undefined ? text : plain(inner)
    })
    .join('')
    .replace(/\s+/g, ' ')
}

/** The words of a query; a plural finds the singular too. */
export function wordsOf(asked: string): string[] {
  const words = asked.slice(0, QUERY_CHARACTERS).toLowerCase().split(/\s+/)
  const singular = words.map((word) => word.replace(/(?<=\p{L}{3})s$/u, '')).filter((word) => word !== '')
  return [...new Set(singular)].slice(0, QUERY_WORDS)
}

/** Finds places that have all words of a query: those with more of them in the heading first, then in the title of the page. */
export function finder(places: readonly Place[]) {
  const lower = places.map((place) => {
    const [page, heading] = [place.page.toLowerCase(), place.heading.toLowerCase()]
    return { place, page, heading, whole: [page, heading, ...place.sentences].join('\n').toLowerCase() }
  })
  return (words: readonly string[]) => {
    if (words.length === 0) return { count: 0, best: [] }
    const found = lower
      .filter(({ whole }) => words.every((word) => whole.includes(word)))
      .map(({ place, page, heading }) => ({ place, score: 2 * among(words, heading) + among(words, page) }))
      .sort((one, other) => other.score - one.score)
    return { count: found.length, best: found.slice(0, FOUND_MOST).map(({ place }) => shown(place, words)) }
  }
}

/** How many of the words a text has. */
function among(words: readonly string[], text: string): number {
  return words.filter((word) => text.includes(word)).length
}

function shown({ href, page, heading, sentences }: Place, words: readonly string[]): Found {
  let best = { sentence: sentences[0] ?? '', count: 0 }
  for (const sentence of sentences) {
    const count = among(words, sentence.toLowerCase())
    if (count > best.count) best = { sentence, count }
  }
  return { href, page, heading, sentence: cut(best.sentence, words) }
}

/** A sentence, or if it is long, the part of it from shortly before the first word that was asked for. */
function cut(sentence: string, words: readonly string[]): string {
  if (sentence.length <= SENTENCE_CHARACTERS) return sentence
  const at = Math.min(...words.map((word) => sentence.toLowerCase().indexOf(word)).filter((index) => index >= 0))
  const from = Number.isFinite(at) && at > SENTENCE_CHARACTERS / 2 ? sentence.lastIndexOf(' ', at - 40) + 1 : 0
  const to = sentence.lastIndexOf(' ', from + SENTENCE_CHARACTERS)
  const isWhole = from + SENTENCE_CHARACTERS >= sentence.length
  return `${from > 0 ? '… ' : ''}${isWhole ? sentence.slice(from) : `${sentence.slice(from, to)} …`}`
}
