import { asSentence } from '../core/words.ts'

// What people write around links in chats and mails, reduced to what a title would be.

const MARKS = '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*'
const TIME = '\\p{Nd}{1,2}[:.]\\p{Nd}{2}(?:[:.]\\p{Nd}{2})?(?:\\s?[AaPp]\\.?[Mm]\\b\\.?)?'
const DATE = '\\p{Nd}{1,4}[./-]\\p{Nd}{1,2}[./-]\\p{Nd}{1,4}'
const NAME = '[^:[\\]<>|/\\n]{1,60}'
const CAPITALISED = "[\\p{Lu}\\p{Lo}][\\p{L}\\p{M}.'’-]{0,30}"
/** Who wrote a message and when, as programs write it when messages are copied or exported. */
const SPEAKERS = [
  // [10:02] Name: … [12/03/2026, 10:02:11] ~ Name: … [10:02] <name> …
  `\\[(?:[^[\\]]{0,30}[\\s,])?${TIME}(?:[\\s,][^[\\]]{0,20})?\\](?:\\s*<[^<>\\s]{1,40}>|\\s*${NAME}:(?!\\S))?`,
  // 12/03/2026, 10:02 - Name: …
  `${DATE},?\\s+${TIME}\\s+[-–]\\s+${NAME}:(?!\\S)`,
  // Name, 10:02 AM: … Name [10:02] …
  `${CAPITALISED}(?:\\s+${CAPITALISED}){0,3}(?:,\\s*${TIME}|,?\\s*\\[(?:${DATE},?\\s+)?${TIME}\\])(?:\\s*[:–-])?(?!\\S)`,
].map((pattern) => new RegExp(`^${MARKS}${pattern}[\\s${MARKS.slice(1, -2)}]*`, 'u'))

/** A line of a chat without who wrote it and when: `[10:02] Name:`, `Name, 10:02`, `[date, time] Name:`. */
export function withoutSpeaker(line: string): string {
  for (const speaker of SPEAKERS) {
    const [found] = speaker.exec(line) ?? []
    if (found !== undefined) return line.slice(found.length)
  }
  return line
}

/** A longer text is somebody's prose, and stays as it is. */
const MAX_TITLE = 500
const CLAUSE_END = /([,;.!?:，、。！？…]+)(?=\s|$)/
const GREETING = /^(?:good\s)?(?:morning|afternoon|evening)$|^(?:hi+|hello|hey+|hiya|howdy|dear)$/iu
const EVERYBODY = /\s+(?:again|all|everyone|everybody|team|folks|guys|there|both|@\S+)$/i
const THANKS =
  /^(?:(?:many|and)\s)?(?:thanks|thank you|thx|ty|tia|cheers)(?:\s(?:all|so much|a lot|again|in advance|everyone|team))?$/i
const FILLERS =
  /^(?:fyi|btw|ok|okay|also|so|p\.?s|and|or|plus|then|here|see|see here|link|links|look|here you go|at|in)$/i
const ASKED =
  /^(?:(?:can|could|would|will)\s(?:you|we|everyone|everybody|someone)\s(?:all\s)?(?:(?:please|pls|plz|kindly)\s)?|(?:please|pls|plz|kindly)\s)/i
const DONE_TO =
  /^(?:read|review|see|check(?:\sout)?|(?:have|take)\sa\slook(?:\sat)?|look\sat|look|find|fill\s(?:in|out)|use|join|open|watch|try|skim|comment(?:\son)?|vote(?:\son)?|sign|click|rsvp|reply|respond|confirm|approve|update|complete|let|add|book|register|share|edit|send|note|bring|prepare)(?!\S)\s*/i
/** After these, a plea has no object that could be a title. */
const NO_OBJECT =
  /^(?:(?:it|this|that|them|these|me|us|by|before|when|if|asap|and|too|first|today|tomorrow|here|now|your|at|in|on)(?!\S)|$)/i
const LEAD =
  /^(?:(?:and|also|so|fyi|btw|ok|okay)\s)?(?:here(?:['’]?s|\sis|\sare)|check\sout|see(?=\s(?:the|our|my|also)\s))\s(?:also\s)?/i
const JOINED = /^(?:and|also|plus|or|then|fyi|btw|&|\+|،|و)\s/i
const ARTICLE = /^(?:the|our|my)\s/i
/** Ends of a text that lead to the link after it. */
const POINTING =
  /\s(?:(?:is|are|can be found|lives?)(?:\s(?:here|at|in|on|under|below|over here))?|here|below)$|\s(?:and|or|plus|&|\+|و)$/i
/**
 * What a title would be of the text before a link, or after it: without greetings, thanks, pleas, commas left over and
 * words that only point at the link; `''` if nothing else is there. Pure; takes linear time.
 */
export function titleOf(text: string, place: 'before' | 'after'): string {
  if (text.length > MAX_TITLE) return text
  const parts = text.replace(/\s*👉\s*$/u, '').split(CLAUSE_END)
  const kept: string[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const clause = parts[at]!.trim()
    const isFirst = kept.length === 0
    const hasMore = parts.slice(at + 2).some((part) => /[\p{L}\p{N}]/u.test(part))
    if (clause === '' || (isFirst && isGreeting(clause, hasMore)) || THANKS.test(clause) || FILLERS.test(clause))
      continue
    const said = withoutPlea(clause)
    if (said !== '') kept.push(said, parts[at + 1] ?? '', ' ')
  }
  const title = kept
    .join('')
    .trim()
    .replace(/[,;:，、]{1,20}$/, '')
  const pointed = place === 'before' ? title.replace(POINTING, '').trim() : title
  const plain = FILLERS.test(pointed) ? '' : pointed
  return plain === text.trim() ? plain : withCapital(plain)
}

function isGreeting(clause: string, hasMore: boolean): boolean {
  if (GREETING.test(clause) || GREETING.test(clause.replace(EVERYBODY, '').replace(EVERYBODY, ''))) return true
  // With a name, it could also be a title: Hello World.
  const [first = '', name = '', ...more] = clause.split(/\s+/)
  return hasMore && more.length < 2 && name !== '' && GREETING.test(first)
}

/** What a clause asks to read, or says that is here; a clause that does neither stays. */
function withoutPlea(clause: string): string {
  const bare = clause.replace(JOINED, '')
  const asked = bare.replace(ASKED, '')
  if (asked !== bare && DONE_TO.test(asked)) {
    const object = asked.replace(DONE_TO, '')
    return NO_OBJECT.test(object) ? '' : object.replace(ARTICLE, '')
  }
  const led = bare.replace(LEAD, '')
  return led === bare ? bare : led.replace(ARTICLE, '')
}

/** A title begins with a capital; `iOS` has its own. */
function withCapital(title: string): string {
  return /^\p{Ll}+(?![\p{L}\p{N}.])/u.test(title) ? asSentence(title) : title
}
