import { LRUCache } from 'lru-cache'
import { weighted } from '../core/weights.ts'

/** Browsers send one of a few values, so results are cached, except for long headers. */
const known = new LRUCache<string, { best: string | null }>({ max: 1000 })
const MAX_KEPT_LENGTH = 200

/** The preferred language in an Accept-Language header, the first among equals; null if there is none. */
export function bestLanguage(header: string): string | null {
  let read = known.get(header)
  if (read === undefined) {
    read = { best: readBest(header) }
    if (header.length <= MAX_KEPT_LENGTH) known.set(header, read)
  }
  return read.best
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
