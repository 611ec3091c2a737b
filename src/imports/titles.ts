import { asSentence } from '../core/words.ts'

// Titles of links, sections and bundles that can be published, without any other part of a text or file.

/**
 * The source of a title: `ours` is an export of this service, with titles as their owner wrote them; `field` is a field or
 * element for titles; `data` is any field of another program; `text` is the text around links.
 */
export type TitleSource = 'ours' | 'field' | 'data' | 'text'

const ADDRESS = /[a-z][a-z0-9+.-]{1,30}:\/\/[^\s<>"]*|\b(?:mailto|data|javascript):\S+/gi
/** An email address, with the brackets around it. */
const MAIL = /[<([]?[^\s@<>()[\]"':;,]{1,64}@[\p{L}\p{N}][\p{L}\p{N}.-]{0,252}\.\p{L}{2,24}[>)\]]?/gu
/** Data and commands: JSON, YAML, attributes, assignments and calls of command-line programs. */
const DATA =
  /["'][^"']{0,200}["']\s*:|\b(?:ur[il]|href|src|link)["']?\s*:\s*["'{[]|^\s*[{}](?!\w+\})|[\]}"'],?\s*[{[]|["']\s*,\s*["']|^["']?[\w.-]{1,60}["']?\s*[:=]\s*["']?$|\b(?:href|src|url|uri|class)=|^\w{1,40}=["'\w]|^(?:export|set|const|let|var)\s[\w.]{1,60}\s*=|^(?:curl|wget|git|http|open|xdg-open)\s(?:[-"']|clone\b)/i
/** A command whose next word is an address: `git clone`, `curl -L`, `$ sudo npm install`. */
const COMMAND =
  /^\s*(?:[$%❯]\s+)?(?:sudo\s+)?(?:curl|wget|xdg-open|(?:curl|wget|git|http|open|xdg-open)\s+[-"'].*|(?:git\s+(?:clone|pull|fetch|ls-remote|remote\s+add\s+\S+|submodule\s+add)|(?:npm|pnpm|yarn|bun|deno|pip3?|pipx|go|cargo|brew|docker|helm)\s+(?:i|install|add|get|pull|run|tap|repo\s+add\s+\S+)|(?:npx|bunx)(?:\s+-y)?)(?:\s+-\S*(?:\s+[^\s-]\S*)?){0,4}(?:\s+git\+?)?)\s*$/
const TIME_ALONE =
  /^(?:\p{Nd}{1,4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,4},?\s*)?\p{Nd}{1,2}[:.h]\p{Nd}{2}(?:[:.]\p{Nd}{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?$/u
/** A line without any of these characters is not cleaned. */
const SIGNS = /[@&<>{}"'=\\`*_~[\]]|:\/\/|:\S|\p{Nd}[:.h]\p{Nd}\p{Nd}/u

/** How many characters are examined: more than any title has. */
const MAX_LOOKED_AT = 2_000

/** Whether a text may be a title as it is: it is not data, a web or email address, or markup. */
export function isTitle(text: string): boolean {
  return !isOther(text) && !/<\/?[a-z]/i.test(text)
}

function isOther(text: string): boolean {
  const line = text.slice(0, MAX_LOOKED_AT).trim()
  const rest = line.replace(ADDRESS, '').replace(MAIL, '')
  return (rest !== line && !/[\p{L}\p{N}]/u.test(rest)) || /^[{[]\s*["{[]/.test(line)
}

/** The title in a text: the whole text of a field if it may be a title; the cleaned rest of other text. */
export function titleIn(text: string, source: TitleSource): string {
  if (text === '' || source === 'ours') return text
  if (source === 'field') {
    const [first = '', ...more] = text.split('\n')
    return isOther(first) ? more.join('\n').trim() : text
  }
  // A table cell may contain several lines.
  const plain = text.slice(0, MAX_LOOKED_AT).split('\n').map(plainLine).join('\n').trim()
  return plain === text.trim() ? text : plain
}

function plainLine(line: string): string {
  let plain = line
  // Removing one part may uncover another.
  for (let round = 0, before = ''; round < MAX_ROUNDS && plain !== before && SIGNS.test(plain); round += 1) {
    before = plain
    plain = dropRemains(plain)
  }
  return plain
}

/** How often a text is cleaned: enough for nested markup. */
const MAX_ROUNDS = 4

/** A text without the addresses, markup and author that one round can find; `''` if nothing else is left. */
function dropRemains(text: string): string {
  const bare = plainTitle(text)
    .replace(ADDRESS, ' ')
    .replace(MAIL, ' ')
    .replace(/<\/?[a-z][^<>]*$/i, ' ')
  const plain = balanced(dropSpeaker(bare.replace(/\*\*|~~|`|""|(?<!\S)"(?=[\s,;:]|$)/g, '')))
    .replace(/\(\s*\)|\[\s*\]|<\s*>/g, ' ')
    .replace(/\s{2,}/g, ' ')
    .replace(/^[\s,;:|–—)\]}>`~*_-]+|[\s,;:|–—[({<`~*_-]{1,20}$/g, '')
  const isSpeaker = dropSpeaker(`${plain}:`) === ''
  const isNone =
    isSpeaker || DATA.test(plain) || TIME_ALONE.test(plain) || !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain)
  return isNone ? '' : plain
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** A text without unpaired brackets and quotes: they belong to a notation around it. */
function balanced(text: string): string {
  if (!/[()[\]{}"]/.test(text)) return text
  const lone = new Set<number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if (Object.values(PAIRS).includes(sign)) open.push(at)
    else if (PAIRS[sign] !== undefined) {
      const start = open.at(-1)
      if (start !== undefined && text[start] === PAIRS[sign]) open.pop()
      else lone.add(at)
    }
  }
  for (const at of open) lone.add(at)
  const isOdd = (text.split('"').length - 1) % 2 === 1
  return text.replace(/[()[\]{}"]/g, (sign, at: number) => (lone.has(at) || (isOdd && sign === '"') ? ' ' : sign))
}

// Reduces the text around links in chats and mails to a title.

const MARKS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const TIME =
  '\\p{Nd}{1,2}(?:[:.]|h)\\p{Nd}{2}(?:[:.]\\p{Nd}{2})?(?:\\s?(?:[AaPp]\\.?\\s?[Mm]\\b\\.?|Uhr\\b))?(?![\\p{L}\\p{N}])'
const DATE =
  '(?:\\p{Nd}{1,4}[./-]\\p{Nd}{1,2}[./-]\\p{Nd}{1,4}|\\p{Nd}{1,2}[.-]?[\\s-]\\p{L}{3,9}\\.?[\\s-]\\p{Nd}{2,4})'
const WEEKDAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}|(?:Mo|Di|Mi|Do|Fr|Sa|So)\\.?)'
/** The day before a time: `Today at`, `Thu`, a date. */
const DAY = `(?:(?:${DATE}|\\p{Nd}{1,2}[./]\\p{Nd}{1,2}\\.?|[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern|[Hh]oy|[Aa]yer|[Hh]ier|${WEEKDAY}),?\\s+(?:(?:at|um|à)\\s+)?)?`
const NAME = '[^:[\\]<>|/\\n]{1,60}'
const WORD = "[\\p{Lu}\\p{Lo}][\\p{L}\\p{M}.'’-]{0,30}"
const MORE = `(?:,?\\s+(?:(?:van|von|de|der|den|del|la|le|di|da|bin|al|el)\\s+){0,2}${WORD})`
const ABOUT = '(?:\\s+\\([^()\\n]{1,40}\\)|\\s+APP)?'
/** Capitalised words, as in the name of a person. */
const PERSON = `${WORD}${MORE}{0,3}${ABOUT}`
const FULL_NAME = `${WORD}${MORE}{1,3}${ABOUT}`
const END = '(?:\\s*[:–—-])?(?!\\S)'
/** Requires a word of a message to follow: a name followed only by an address may also be a title. */
const WORDS_FOLLOW = '(?=\\s+(?![\\p{L}-]{0,20}:?//|about:|www\\.|<)\\S)'
/** The author and time of a message, as programs write them when messages are copied or exported. */
const SPEAKERS = [
  // [10:02] Name: … [12/03/2026, 10:02:11] ~ Name: … [10:02] <name> …
  `\\[(?:[^[\\]]{0,30}[\\s,])?${TIME}(?:[\\s,][^[\\]]{0,20})?\\](?:\\s*<[^<>\\s]{1,40}>|\\s*${NAME}:(?!\\S)|\\s*${FULL_NAME}(?=\\s+https?://|\\s*$))?`,
  // 12/03/2026, 10:02 - Name: …
  `${DATE},?\\s+${TIME}\\s+[-–]\\s+${NAME}:(?!\\S)`,
  // 10:02:11 From Name to Everyone: … 10:02 <name> …
  `${TIME}\\s+(?:From\\s+${NAME}:(?!\\S)|<[@+ ]?[^<>\\s]{1,40}>)`,
  // 10:02 Full Name: … 10:02 Name: words …
  `(?:${DATE},?\\s+)?${TIME}\\s+(?:[-–—]\\s+)?(?:${FULL_NAME}:(?!\\S)|${NAME}:${WORDS_FOLLOW})`,
  // Name, 10:02 AM: … Name [10:02] … Name — Today at 10:02 Name  10:02
  `${PERSON}(?:,\\s*${DAY}${TIME}|,?\\s*\\[${DAY}${TIME}\\]|\\s+—\\s+${DAY}${TIME}|(?:\\s{2,8}|\\t)${DAY}${TIME})${END}`,
  // Full Name 3/12 10:02 AM …
  `${FULL_NAME}\\s+(?:${DATE},?\\s+|\\p{Nd}{1,2}/\\p{Nd}{1,2}\\s+)${TIME}${END}`,
].map((pattern) => new RegExp(`^[${MARKS}]*${pattern}[\\s${MARKS}]*`, 'u'))

/** A line of a chat without its author and time: `[10:02] Name:`, `Name, 10:02`, `10:02 Full Name:`, `[date, time] Name:`. */
export function dropSpeaker(line: string): string {
  for (const speaker of SPEAKERS) {
    const [found] = speaker.exec(line) ?? []
    if (found !== undefined) return line.slice(found.length)
  }
  return line
}

/** Characters by their HTML entities. */
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
  nbsp: ' ',
  amp: '&',
  '#38': '&',
}

/** A text with HTML entities decoded. */
export function decoded(text: string): string {
  return text.replace(
    /&(lt|gt|quot|apos|nbsp|amp|#3[489])(?:;|\b)/gi,
    (sign: string, name: string) => ENTITIES[name.toLowerCase()] ?? sign,
  )
}

/** Kinds of markup in a title, each with its replacement. */
const MARKUP: readonly [written: RegExp, plain: string | ((...found: string[]) => string)][] = [
  [/<img\s[^<>]{0,300}?\balt=["']([^"'<>]*)["'][^<>]{0,300}>/gi, '$1'],
  [/<\/?[a-z!][^<>]{0,500}>/gi, ''],
  [/&(?:[a-z]{2,5}|#\d{2});?/gi, (sign = '') => decoded(sign)],
  [/!\[([^[\]]*)\]\([^()]*\)/g, '$1'],
  [/\[\/?(?:b|i|u|s|color|size|url|img)(?:=[^[\]]{0,40})?\]/gi, ''],
  [/(\])\(|\[url=/gi, '$1 '],
  [/`+([^`]*)`+/g, '$1'],
  [/(?<![\\\p{L}\p{N}*])(\*{1,3})(?=\S)([^*]*[^*\s\\])\1(?![\p{L}\p{N}*])/gu, '$2'],
  [/(?<![\\\p{L}\p{N}_])(_{1,3})(?=\S)([^_]*[^_\s\\])\1(?!\.?[\p{L}\p{N}_])/gu, '$2'],
  [/(?<!\\)(~~)(?=\S)([^~]*)~~/g, '$2'],
  [/\\[a-z]{2,20}\{/gi, ''],
  [/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1'],
]

/** How many characters of a title are searched for markup: more are cut off anyway. */
const MAX_MARKED = 2_000

/** A title without markup: pictures become their alternative text, and escaped characters and code plain text. */
export function plainTitle(title: string): string {
  if (!/[<&[`*_~\\]/.test(title)) return title.trim()
  const text = title.slice(0, MAX_MARKED)
  return MARKUP.reduce((left, [written, plain]) => left.replace(written, plain as string), text).trim()
}

/** The longest text reduced to a title; a longer one is prose, and stays as it is. */
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
/** Words after which a request has no object that could be a title. */
const NO_OBJECT =
  /^(?:(?:it|this|that|them|these|me|us|by|before|when|if|asap|and|too|first|today|tomorrow|here|now|your|at|in|on)(?!\S)|$)/i
const LEAD =
  /^(?:(?:and|also|so|fyi|btw|ok|okay)\s)?(?:here(?:['’]?s|\sis|\sare)|check\sout|see(?=\s(?:the|our|my|also)\s))\s(?:also\s)?/i
const JOINED = /^(?:and|also|plus|or|then|fyi|btw|&|\+|،|و)\s/i
const ARTICLE = /^(?:the|our|my)\s/i
/** Endings of a text that only point to the link after it. */
const POINTING =
  /\s(?:(?:is|are|can be found|lives?)(?:\s(?:here|at|in|on|under|below|over here))?|here|below)$|\s(?:and|or|plus|&|\+|و)$/i
/**
 * The title in the text before or after a link: without greetings, thanks, requests, leftover commas, and words that only
 * point to the link; `''` if nothing else is left. Pure; takes linear time.
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
    const said = dropPlea(clause)
    if (said !== '') kept.push(said, parts[at + 1] ?? '', ' ')
  }
  const title = kept
    .join('')
    .trim()
    .replace(/[,;:，、]{1,20}$/, '')
  const pointed = place === 'before' ? title.replace(POINTING, '').trim() : title
  return FILLERS.test(pointed) ? '' : pointed
}

/** Whether a text asks for something to be done with what follows it: `look at this`, `read these`. */
export function isRequest(text: string): boolean {
  const object = text.replace(DONE_TO, '')
  return object !== text && object !== '' && NO_OBJECT.test(object)
}

function isGreeting(clause: string, hasMore: boolean): boolean {
  if (GREETING.test(clause) || GREETING.test(clause.replace(EVERYBODY, '').replace(EVERYBODY, ''))) return true
  // With a name, it could also be a title: Hello World.
  const [first = '', name = '', ...more] = clause.split(/\s+/)
  return hasMore && more.length < 2 && name !== '' && GREETING.test(first)
}

/** The object of a clause such as "please read X" or "here is X"; any other clause stays as it is. */
function dropPlea(clause: string): string {
  const bare = clause.replace(JOINED, '')
  const asked = bare.replace(ASKED, '')
  if (asked !== bare && DONE_TO.test(asked)) {
    const object = asked.replace(DONE_TO, '')
    return NO_OBJECT.test(object) ? '' : object.replace(ARTICLE, '')
  }
  const led = bare.replace(LEAD, '')
  return led === bare ? bare : led.replace(ARTICLE, '')
}

/** Whether a text before an address is a command that takes it, not a title. */
export function isCommand(text: string): boolean {
  return COMMAND.test(text.slice(0, MAX_LOOKED_AT))
}

/** Programs whose names are always written like this. */
const PROGRAM = /^(?:npm|npx|pnpm|git|curl|wget|pip3?|sudo|ssh|kubectl)(?!\S)/

/** The title of a link as `titleIn` reads it; in a text, every one begins with a capital. */
export function linkTitleIn(text: string, source: TitleSource): string {
  const title = titleIn(text, source)
  return source === 'text' ? withCapital(title) : title
}

/** A title with a capital first letter, if its first word is one: `iOS`, `report.pdf` and `npm i` stay as they are. */
export function withCapital(title: string): string {
  if (PROGRAM.test(title)) return title
  return /^\p{Ll}[\p{Ll}\p{M}\p{Nd}'’-]*(?=$|[\s,;:!?…]|\.(?:\s|$))/u.test(title) ? asSentence(title) : title
}
