import type { FoundLink, Said } from '../bundles/list/found.ts'
import { unfitUrl } from '../core/text.ts'
import { unwrapped } from './addresses.ts'

/** A found link with its intended address and notices about it. The links from all readers go through this. */
export function settled(link: FoundLink): FoundLink {
  return withSecrets(unwrapped(mended(link)))
}

/** A scheme typed before another one, and one with too many slashes: browsers would look for a site called `https`. */
const DOUBLED = /^(?:https?:?\/{1,3}){1,5}(?=https?:?\/\/)/i
const SLASHES = /^(https?:)\/{3,}(?=[^\s/])/i
/** An equals sign that is not encoded as in mails: `?a=3D1&b=3D2` has none. */
const QUOTED = /=(?!3D)/i

/** A link with its mistyped address corrected, and a notice. */
function mended(link: FoundLink): FoundLink {
  const written = link.url.trim()
  const url = written
    .replace(DOUBLED, '')
    .replace(/^(https?)(?=\/\/)/i, '$1:')
    .replace(SLASHES, '$1//')
  const plain = (url.match(/=3D/gi)?.length ?? 0) > 1 && !QUOTED.test(url) ? url.replace(/=3D/gi, '=') : url
  if (plain === written || unfitUrl(plain) !== null) return link
  const was = plain === url ? {} : { was: written }
  return { ...link, url: plain, said: [...(link.said ?? []), { reason: 'mended', ...was }] }
}

/** Parameters that give everybody with the address somebody's rights: storage signatures, tokens, keys. */
const SECRETS =
  /^(?:x-(?:amz|goog|oss|cos)-signature|x-amz-security-token|signature|sig|hmac|(?:access|auth|id|refresh|reset|session|private|invite)?[-_]?token|jwt|(?:api|access|secret|private|auth)[-_]?key|apikey|secret|client_secret|password|passwd|pwd|sas)$/i

/** The shortest user name that may be a token; a shorter one is a person's. */
const MIN_TOKEN = 20

/** A link with notices about secrets in its address. */
function withSecrets(link: FoundLink): FoundLink {
  const { url, said = [] } = link
  // Parsing every address of a long file would take longer than reading it.
  if (!/[@?#%]/.test(url) || !URL.canParse(url)) return link
  const { username, password, searchParams, hash } = new URL(url)
  const fragment = new URLSearchParams(hash.slice(1).replace(/^[^?]*\?/, ''))
  const names = [...searchParams, ...fragment].filter(([, value]) => value !== '').map(([name]) => name)
  const more: Said[] = [
    ...(/%s(?![a-z\d])/i.test(url) ? [{ reason: 'keyword' } as const] : []),
    ...(password === '' ? [] : [{ reason: 'password' } as const]),
    // A token may take the place of the user name.
    ...(names.some((name) => SECRETS.test(name)) || username.length >= MIN_TOKEN
      ? [{ reason: 'signed' } as const]
      : []),
  ]
  return more.length === 0 ? link : { ...link, said: [...said, ...more] }
}
