import { lexer, type Token, type Tokens } from 'marked'
import { routes } from '../core/routes.ts'
import { anchorOf, GUIDES, guideText, guideTitle } from './guides.ts'

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

/** The most characters of a query that are read, and the most places that are shown. */
export const QUERY_CHARACTERS = 100
export const FOUND_MOST = 20

/** A sentence longer than this is cut. */
const SENTENCE_CHARACTERS = 240

/** Every heading of every guide, in reading order. */
export function guidePlaces(): Place[] {
  return GUIDES.flatMap((guide) => {
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
  })
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
  return [...new Set(words.map((word) => word.replace(/(?<=\p{L}{3})s$/u, '')))].filter((word) => word !== '')
}

/** The places that have all words of a query, best first: in the heading, in the page's title, in a sentence. */
export function find(places: readonly Place[], words: readonly string[]): Found[] {
  if (words.length === 0) return []
  const count = (text: string) => words.filter((word) => text.toLowerCase().includes(word)).length
  return places
    .flatMap((place) => {
      const { href, page, heading, sentences } = place
      if (count([page, heading, ...sentences].join('\n')) < words.length) return []
      const best = sentences.reduce((most, sentence) => (count(sentence) > count(most) ? sentence : most), '')
      const score = 4 * count(heading) + 2 * count(page) + count(best)
      return [{ score, found: { href, page, heading, sentence: cut(best || (sentences[0] ?? ''), words) } }]
    })
    .sort((one, other) => other.score - one.score)
    .map(({ found }) => found)
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
