import { formFor, type Form as Negotiated } from '../audience/form.ts'
import { JSON_TYPE } from '../http/respond.ts'

type Form = Negotiated | 'feed'

/** Forms of a launcher that are not its page. */
export type OtherForm = Exclude<Form, 'html'>

export const FORM_TYPES: Readonly<Record<OtherForm, string>> = {
  markdown: 'text/markdown; charset=utf-8',
  json: JSON_TYPE,
  feed: 'application/atom+xml; charset=utf-8',
}

/** What is asked for at a path below `/l/`. */
export interface Asked {
  slug: string
  form: Form
  /** Whether the answer depends on Accept. */
  isNegotiated: boolean
}

const ENDINGS: Readonly<Record<string, Form>> = { md: 'markdown', json: 'json' }

/** What an answer at a launcher’s own link depends on. */
export const NEGOTIATED = 'Accept, Accept-Encoding'
/** Headers of pages at a launcher’s own link that nobody keeps. */
export const AT_LINK = { 'x-robots-tag': 'noindex', vary: NEGOTIATED }

/** What the last part of a launcher's path asks for, whether or not there is such a slug. */
export function askedFor(part: string, headers: Pick<Headers, 'get'>): Asked {
  const [, slug = part, ending = ''] = /^(.*)\.(md|json)$/s.exec(part) ?? []
  const form = ENDINGS[ending]
  return form === undefined ? { slug, form: formFor(headers), isNegotiated: true } : { slug, form, isNegotiated: false }
}

/**
 * The same for a whole URL; null if it is not a launcher's. Works on the text, because with a malformed Host the URL may not
 * parse.
 */
export function askedAt(url: string, headers: Pick<Headers, 'get'>): Asked | null {
  const [, part, feed] = /^(?:\w+:\/\/[^/]*)?\/l\/([^/?#]+)(\/feed)?(?:[?#]|$)/.exec(url) ?? []
  if (part === undefined) return null
  return feed === undefined ? askedFor(part, headers) : { slug: part, form: 'feed', isNegotiated: false }
}
