import { HeaderValues } from '../core/header-values.ts'
import { weighted } from '../core/weights.ts'

/** The forms in which a launcher can be had at its own link. */
export type Form = 'html' | 'markdown' | 'json'

const FORMS = new Map<string, Form>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['application/json', 'json'],
])

/**
 * The form that a request prefers, by its Accept. A form that is named wins over any form, and of two that are wanted
 * equally the first: agents send `text/markdown` before `text/html`.
 */
export function formFor(headers: Pick<Headers, 'get'>): Form {
  const accept = headers.get('accept')
  // What browsers send begins so, and most programs take anything.
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
