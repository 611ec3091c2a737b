import { HeaderValues, weighted } from '../core/header-values.ts'

/** The forms in which a launcher is available at its own link. */
export type Form = 'html' | 'markdown' | 'json'

const FORMS = new Map<string, Form>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['application/json', 'json'],
])

/**
 * The form that a request prefers, by its Accept header. A named form wins over a wildcard, and of two equally preferred ones the
 * first: agents send `text/markdown` before `text/html`.
 */
export function formFor(headers: Pick<Headers, 'get'>): Form {
  const accept = headers.get('accept')
  // Browsers' headers begin like this, and most programs accept anything.
  if (accept === null || accept.startsWith('text/html,') || accept === '*/*') return 'html'
  return forms.of(accept)
}

const forms = new HeaderValues(preferred, { values: 200, length: 500 })

function preferred(accept: string): Form {
  let best: Form = 'html'
  let most = 0
  let any = 0
  for (const [range, weight] of weighted(accept.toLowerCase())) {
    const form = FORMS.get(range)
    if (form !== undefined && weight > most) [best, most] = [form, weight]
    if ((range === '*/*' || range === 'text/*') && weight > any) any = weight
  }
  return any > most ? 'html' : best
}

const best = new HeaderValues(readBest, { length: 1_000 })

/** The preferred language in an Accept-Language header, the first among equals; null if there is none. */
export function bestLanguage(header: string): string | null {
  return best.of(header)
}

/**
 * The preferred language without its region and script (`de` of `de-AT`), in lower case; null if there is none. Not
 * cached.
 */
export function primaryLanguage(header: string): string | null {
  const [, language] = /^([a-z]{2,3})(?:-|$)/i.exec(readBest(header) ?? '') ?? []
  return language?.toLowerCase() ?? null
}

function readBest(header: string): string | null {
  let best: string | null = null
  let most = 0
  for (const [tag, liked] of weighted(header, /^q\s*=\s*/i)) {
    if (liked > most && liked <= 1 && /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)) {
      best = tag
      most = liked
    }
  }
  return best
}
