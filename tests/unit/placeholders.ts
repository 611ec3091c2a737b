import { unfitTemplates } from '../../src/bundles/variables/placeholders.ts'
import { checkLinks } from '../../src/core/fixed-links.js'
import { fillLink, isComplete, readValues } from '../../src/core/template.js'
import { unfitUrl } from '../../src/core/text.ts'
import { prng } from '../prng.ts'

// Fills links of every form with values that try to lead elsewhere, on either runtime, and prints what came of it for
// `placeholders.test.ts`. Its own reading is naive: the parser of URLs, and an encoder of a line.

const PAIRS = 50_000
const VALUES_PER_LINK = 50
const NAMES = ['x', 'y', 'constructor']
const VARIABLES = NAMES.map((name) => ({ name }))

const STARTS = ['https://', 'http://', 'HTTPS://', 'https:', 'https:/', 'https:///', 'https:\\\\', 'http:/\\']
const USERS = ['', '', '', '', 'u@', 'u:p@', 'u%40:@', ':p@', 'u@v@']
const HOSTS = [
  ...'a.example A.example a.example. bücher.example xn--bcher-kva.example a。example a．example [::1]'.split(' '),
  ...'[2001:DB8::1] 127.0.0.1 0x7f.1 2130706433 ｅｘ.example a%2eexample localhost'.split(' '),
]
const PORTS = ['', '', '', ':443', ':80', ':8443', ':', ':0', ':65535']
/** Hosts of which a placeholder is a part. */
const OPEN_HOSTS = [
  ...'{x} {x}.example a.{x} a{x}.example {x}a.example {x}@a.example u:{x}@a.example {x}:p@a.example'.split(' '),
  ...'a.example:{x} a.example:8{x} a.example:{x}8 [::{x}] [{x}] 127.0.0.{x} 0x{x} %{x}1.example'.split(' '),
  ...'a%ef%b8%8{x}.example a%ef%b8%{x}f.example a%f3%a0%84%8{x}.example a%c2%a{x}.example a%E2%80%8{x}'.split(' '),
  ...'%{x}%{y}.example a{x}{y}.example xn--{x} a.example{x} a.example。{x} u{x}:{y}@a.example'.split(' '),
  ...'a.example:{x}{y}'.split(' '),
]
const TAILS = [
  ...'/{x} /{x}/ /a/{x}/b ?q={x} ?{x}={y} #{x} #/{x}/{y} /{x}?q={y}#{constructor} /{x}{y} /{x}{x} /.{x}'.split(' '),
  ...'/{x}. /%2{x} /%{x} /%2e{x} /{x}%2e /%2E{x}%2e /{x}%2{y} /%{x}%{y} /{x}/../{y} /../{x} /./{x} //{x}'.split(' '),
  ...'/\\{x} \\{x} \\..\\{x} /{x}\\{y} /a;{x} /a:{x}@b /@{x} ?{x} ?a&{x} ?q=%{x} /{z}/{x} /{{x}} /{x /x}'.split(' '),
  ...'/%7Bx%7D/{x} /ä/{x} /{x}ä /{x}// /http://{x} ?u=https://{x} /{x}.{y} /..{x} /{x}.. /{x}.%2e #'.split(' '),
  ...'/{x}#?{y} /a/%2e%2{x}/b /a/.%2{x}/{y} /|{x}| /"{x}"'.split(' '),
  ...'/a b/{x}'.split(','),
  ...[''],
]
const NASTY = [
  ...'//evil.example @evil.example u:p@evil.example .evil.example :80 : .. . ... ../.. ..\\.. ./ %2f.. %2e'.split(' '),
  ...'%2E%2e %2e. .%2e %00 %0d%0a %252e % %2 2e 2E e E f 2f 5c 0 8 a b ? # ?a=b&c & = + / \\'.split(' '),
  ...'\\\\evil.example javascript:alert(1) https://evil.example/ {x} {y} {constructor} { } %7Bx%7D $& $1'.split(' '),
  ...'<b> " ` | ^ [ ] ( ) * ! ~ - _ 。 ． ｡ ／ ＼ ＠ ： ？ ＃ ．． ‥ 😀 ﬁ ß'.split(' '),
  ...' ,a b,\r\n,\n,\t,a\tb,\0,\u0085,\u007f,\u00ad,\u061c,\u200e,\u202e,\u2066,\u200b,\ufeff,\u2028,\ud800'.split(','),
  ...'\udc00,a\ud83d,\ude00\ud83d,e\u0301,\u00a0'.split(','),
  ...["'", 'x'.repeat(200), 'x'.repeat(201), 'x'.repeat(4096), '😀'.repeat(200), '😀'.repeat(201)],
  ...['ａ'.repeat(150), '', '   '],
]

const random = prng(20)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** Any link, whose placeholders may stand anywhere. */
function anyLink(): string {
  const host = random() < 0.2 ? pick(OPEN_HOSTS) : `${pick(USERS)}${pick(HOSTS)}${pick(PORTS)}`
  const tail = random() < 0.15 ? pick(TAILS) + pick(TAILS) : pick(TAILS)
  const long =
    random() < 0.02 ? `${tail.includes('?') ? '&' : '?'}l=${'l'.repeat(1700 + Math.floor(random() * 300))}` : ''
  const link = `${pick(STARTS)}${host}${tail}${long}`
  if (random() > 0.15) return link
  // Somewhere, be it within the scheme.
  const at = Math.floor(random() * Math.min(link.length, 30))
  return `${link.slice(0, at)}{${pick(NAMES)}}${link.slice(at)}`
}

function anyValue(): string {
  const parts = random() < 0.6 ? 1 : 1 + Math.floor(random() * 4)
  return Array.from({ length: parts }, () => pick(NASTY)).join('')
}

/** What RFC 6570 calls simple expansion. */
const encoded = (value: string) =>
  [...new TextEncoder().encode(value)]
    .map((byte) => String.fromCharCode(byte))
    .map((one) => (/[\w.~-]/.test(one) ? one : `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`))
    .join('')

/** A value without the space around it, visible or not. */
const bare = (value: string) => value.replace(/^[\s\u00ad\u200b-\u200d\u2060]+|[\s\u00ad\u200b-\u200d\u2060]+$/g, '')

const put = (link: string, texts: Record<string, string>): string =>
  link.replace(/\{(x|y|constructor)\}/g, (_, name) => texts[name] as string)

const MARKS = { x: 'MARKx0', y: 'MARKy0', constructor: 'MARKc0' }
const marksIn = (text: string, texts: Record<string, string>) =>
  text
    .replace(/MARKx0/g, () => texts.x as string)
    .replace(/MARKy0/g, () => texts.y as string)
    .replace(/MARKc0/g, () => texts.constructor as unknown as string)

function placeOf(link: string): string | null {
  if (!URL.canParse(link)) return null
  const { protocol, username, password, hostname, port } = new URL(link)
  return JSON.stringify([protocol, username, password, hostname, port])
}

function restOf(link: string): string {
  const { pathname, search, hash } = new URL(link)
  return pathname + search + hash
}

/** Whether a value may be used at all. */
function isPlain(value: string): boolean {
  const points = [...value].map((one) => one.codePointAt(0) as number)
  const within = (from: number, to: number) => points.some((point) => point >= from && point <= to)
  return (
    points.length >= 1 &&
    points.length <= 200 &&
    !(within(0, 0x1f) || within(0x7f, 0x9f) || within(0xd800, 0xdfff)) &&
    !(within(0x61c, 0x61c) || within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069))
  )
}

const result = { pairs: 0, filled: 0, refused: 0, savedLinks: 0, refusedLinks: 0, wrong: [] as unknown[] }
const wrong = (what: string, ...details: unknown[]) => {
  if (result.wrong.length < 10) result.wrong.push([what, ...details])
}

while (result.pairs < PAIRS) {
  const link = anyLink()
  if (unfitUrl(link) !== null) continue
  const content = { urls: [link], urlMetadata: [{}], title: null, description: null, resolutionPolicy: null }
  const isSaved = unfitTemplates({ ...content, variables: VARIABLES }).length === 0
  const place = placeOf(put(link, MARKS))
  if (!isSaved) {
    result.refusedLinks += 1
    // Nothing is refused without need: with some value, it leads to another place or nowhere.
    const others = [MARKS, { x: 'a', y: 'a', constructor: 'a' }, { x: 'b', y: 'b', constructor: 'b' }].map((texts) =>
      placeOf(put(link, texts)),
    )
    if (others.every((other) => other !== null && other === others[0])) wrong('refused without need', link)
    continue
  }
  result.savedLinks += 1
  // Where `..` comes after a placeholder, the parser drops the value, and cannot tell what it was.
  const isKept = restOf(put(link, MARKS)).split('MARK').length === put(link, MARKS).split('MARK').length
  for (let count = 0; count < VALUES_PER_LINK; count += 1) {
    result.pairs += 1
    const sent: Record<string, string> = { x: anyValue(), y: anyValue(), constructor: anyValue() }
    const filling = checkLinks(
      readValues(VARIABLES, (name) => sent[name]),
      [link],
    )
    const values = Object.fromEntries(NAMES.map((name) => [name, bare(sent[name] as string)]))
    const isUsable = NAMES.every((name) => isPlain(values[name] as string))
    const texts = Object.fromEntries(NAMES.map((name) => [name, encoded(values[name] as string)]))
    const naive = put(link, texts)
    // Whatever is filled in afterwards: what is saved leads to one place with any value.
    if (isUsable && placeOf(naive) !== place) wrong('a saved link is moved', link, values)
    if (!isKept) continue
    const leads = isUsable && placeOf(naive) === place && restOf(naive) === marksIn(restOf(put(link, MARKS)), texts)
    const isFilled = leads && [...naive].length <= 2048
    if (isComplete(filling) !== isFilled) wrong(isFilled ? 'refused' : 'not refused', link, values, filling.invalid)
    if (!isFilled) {
      result.refused += 1
      continue
    }
    result.filled += 1
    if (fillLink(link, filling.values) !== naive)
      wrong('filled otherwise', link, values, fillLink(link, filling.values))
    const { pathname, searchParams } = new URL(naive)
    const last = pathname.split('/').at(-1) as string
    if (/^[^?#]*\/\{x\}$/.test(link) && decodeURIComponent(last) !== values.x) wrong('another segment', link, values)
    if (/^[^#]*[?&]q=\{x\}$/.test(link) && searchParams.get('q') !== values.x) wrong('another parameter', link, values)
  }
}
console.log(JSON.stringify(result))
