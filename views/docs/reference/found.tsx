/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'
import { FOUND_MOST, type Found } from '../../../src/api/guide-search.ts'
import type { Site } from '../../parts/layout.tsx'
import { Each } from '../../parts/layout.tsx'
import { DocsFrame } from '../parts/frame.tsx'
import { GuideList } from '../parts/guide-list.tsx'

interface FoundProps {
  site: Pick<Site, 'name'>
  asked: string
  /** What was looked for. */
  words: readonly string[]
  /** How many places have them. */
  count: number
  best: readonly Found[]
}

/** What a search of the documentation has found. */
export function FoundPage({ site, asked, words, count, best }: FoundProps): JSX.Element {
  return (
    <DocsFrame
      site={site}
      title={`Search · ${site.name}`}
      tab="guides"
      asked={asked}
      contents={{ label: 'Guides', opens: 'All guides' }}
      list={<GuideList />}
      main={{ id: 'found', name: 'results' }}
    >
      <h1 safe>{words.length === 0 ? 'Search' : `Results for “${asked}”`}</h1>
      <p class="hint" safe>
        {summary(words, count)}
      </p>
      {count > 0 && <Results words={words} best={best} />}
    </DocsFrame>
  )
}

function Results({ words, best }: Pick<FoundProps, 'words' | 'best'>): JSX.Element {
  return (
    <ol class="results">
      {best.map(({ href, page, heading, sentence }) => (
        <li>
          <a href={href}>
            <Marked text={heading} words={words} />
          </a>
          {page !== heading && (
            <span class="hint" safe>
              {page}
            </span>
          )}
          {sentence !== '' && (
            <p>
              <Marked text={sentence} words={words} />
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}

function summary(words: readonly string[], count: number): string {
  if (words.length === 0) return 'Type what you are looking for: the search reads all guides and the API reference.'
  if (count === 0) return 'No page has all of these words. Try fewer words, or choose a guide from the list.'
  if (count > FOUND_MOST) return `The best ${FOUND_MOST} of ${count} places. More words find fewer.`
  return count === 1 ? 'One place.' : `${count} places.`
}

/** A text with the words marked that begin as asked. A word of one or two letters is marked only where it stands alone. */
function Marked({ text, words }: { text: string; words: readonly string[] }): JSX.Element {
  const any = words
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .map((word) => (word.length > 2 ? `${word}\\p{L}*` : `(?<!\\p{L})${word}(?!\\p{L})`))
    .join('|')
  return (
    <Each
      of={text.split(new RegExp(`(${any})`, 'giu'))}
      show={(part, index) => (index % 2 === 0 ? escapeHtml(part) : <mark safe>{part}</mark>)}
    />
  )
}
