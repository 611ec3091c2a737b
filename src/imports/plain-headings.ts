import { BOUNDS } from '../bundles/content/content.ts'
import { withoutBullet } from './line-links.ts'
import { dropSpeaker, isRequest, plainTitle, titleIn, titleOf, withCapital } from './titles.ts'

// Headings without a sign, as people type them: a short line of words above links.

/** A line that names the links below it. */
export interface PlainHeading {
  title: string
  /** Whether it names all links of the text, with those under other headings. */
  isOverAll: boolean
}

/** Letters that begin a heading directly below a link; elsewhere, `week 1` also is one. */
const CAPITAL = /^[^\p{Ll}]/u
/** The end of a sentence, or of a line that goes on. */
const SENTENCE = /[.!?,;…。，！？]$/u
const STATEMENT = /\S\s+\S.*[.!。！]\s*$/u
/** Signs of programs, tables and quotations, which no heading has. */
const CODE = /[={}<>|\t`\\]|:\/\/|^\s*[>#$%]/
const MAIL = /^(?:From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Gesendet|De|À|Objet)\s*[:：]/i
const WROTE = /\b(?:wrote|schrieb|a écrit|escribió)\s*[:：]?$/i
/** The most words of a heading: more are a sentence. */
const MAX_WORDS = 9

/** A line of the text that is not empty. */
interface Filled {
  text: string
  /** Its number, counted from 1. */
  line: number
  hasLinks: boolean
  /** Whether an empty line is above or below it. */
  isApart: boolean
  isAbove: boolean
}

/**
 * The headings of a text without any signs of headings, by line. The first line is the title of all if there is no other
 * heading, if it stands above another one or a sentence, or if it alone stands apart from its links. Otherwise it is a heading
 * like the others.
 * @param linksOf the number of links in a line; null for a line that only helps to read others.
 */
export function plainHeadingsIn(
  lines: readonly string[],
  linksOf: (line: string) => number | null,
): ReadonlyMap<number, PlainHeading> {
  const filled = filledIn(lines, linksOf)
  const found = new Map<number, PlainHeading>()
  const tops: Filled[] = []
  for (const [at, here] of filled.entries()) {
    if (here.hasLinks || filled[at + 1]?.hasLinks !== true) continue
    const isBelowLink = at > 0 && !here.isApart
    const title = headingIn(here.text, isBelowLink, filled[at - 1])
    if (title === '') continue
    found.set(here.line, { title, isOverAll: false })
    tops.push(here)
  }
  const [first, second] = filled
  if (first === undefined || first.hasLinks) return found
  const own = found.get(first.line)
  if (own !== undefined) {
    const others = tops.slice(1)
    own.isOverAll = others.length === 0 || (first.isAbove && others.every(({ isAbove }) => !isAbove))
  } else if (second !== undefined && (found.has(second.line) || STATEMENT.test(second.text))) {
    const title = headingIn(first.text, false, undefined)
    if (title !== '') found.set(first.line, { title, isOverAll: true })
  }
  return found
}

function filledIn(lines: readonly string[], linksOf: (line: string) => number | null): Filled[] {
  const filled: Filled[] = []
  for (const [at, text] of lines.entries()) {
    const links = text.trim() === '' ? null : linksOf(text)
    if (links === null) continue
    filled.push({
      text,
      line: at + 1,
      hasLinks: links > 0,
      isApart: (lines[at - 1] ?? '').trim() === '',
      isAbove: (lines[at + 1] ?? '').trim() === '',
    })
  }
  return filled
}

/** The longest line that is looked at: a heading with its bullet, its speaker and its marks. */
const MAX_LINE = BOUNDS.section * 3

/** The title in a line that may be a heading; `''` for none. */
function headingIn(line: string, isBelowLink: boolean, before: Filled | undefined): string {
  if (line.length > MAX_LINE || CODE.test(line)) return ''
  const text = dropSpeaker(withoutBullet(line).trim())
  const bare = plainTitle(text).replace(/\s*[:：–—-]$/, '')
  const isNone =
    bare.length > BOUNDS.section ||
    bare.split(/\s+/).length > MAX_WORDS ||
    SENTENCE.test(bare) ||
    MAIL.test(text) ||
    WROTE.test(text) ||
    isRequest(bare) ||
    (isBelowLink && bare === text && !CAPITAL.test(bare)) ||
    // A name beside a time is whoever wrote the message.
    (before !== undefined && !before.hasLinks && titleIn(before.text.trim(), 'text') === '')
  return isNone ? '' : withCapital(titleIn(titleOf(bare, 'before'), 'text'))
}
