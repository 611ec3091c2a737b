import { HeaderValues } from '../core/header-values.ts'
import { weighted } from '../core/weights.ts'

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
