import type { JsonSchema } from '../core/shape.ts'
import type { OpenApi } from '../operations/openapi-types.ts'

// The headers of answers, which responses of the document refer to.

/** What each says, and how its text is made up. */
const ANSWERED = {
  etag: ['The `versionNumber` of the bundle as `"v<N>"`, for If-Match.', '^"v[0-9]+"$'],
  link: ['The next page, with `rel="next"`; absent on the last one.', '^<[^<>]+>; rel="next"$'],
  location: ['The URL of what was created, in this API.', '^/api/[^\\s]+$'],
  'idempotency-replayed': ['`true` if this is the stored answer to the first call with the same key.', '^true$'],
  'ratelimit-policy': [
    'The limit of the key, as in draft-ietf-httpapi-ratelimit-headers; absent without one.',
    '^"perhr";q=[0-9]+;w=3600$',
  ],
  ratelimit: ['What remains of it, and the seconds until it is replenished.', '^"perhr";r=[0-9]+;t=[0-9]+$'],
  'retry-after': ['Whole seconds to wait.', '^[1-9][0-9]*$'],
  'www-authenticate': [
    'Bearer: send an API key, with the `scope` if it names one. `resource_metadata` says where apps sign in. Of a bundle’s link, Cookie: sign in on its page; Form: enter its password there.',
    '^(?:Bearer( .+)?|Cookie|Form)$',
  ],
  'x-request-id': [
    'The id of the request, by which the operator finds it; `requestId` in an error.',
    '^[A-Za-z0-9_.:/+=-]{1,128}$',
  ],
} as const

export type HeaderName = keyof typeof ANSWERED

/** References to headers, for a response. */
export function headers(...names: HeaderName[]): { headers: Record<string, { $ref: string }> } {
  const own = names.map((name) => [title(name), { $ref: `#/components/headers/${title(name)}` }])
  return { headers: Object.fromEntries(own) }
}

/** All of them, for the document's components. */
export function headerComponents(): OpenApi['components']['headers'] {
  const all = (Object.keys(ANSWERED) as HeaderName[]).map((name) => {
    const [description, pattern] = ANSWERED[name]
    const schema: JsonSchema = { type: 'string', pattern }
    return [title(name), { description, schema }]
  })
  return Object.fromEntries(all)
}

/** A header's name as usually capitalised: `Retry-After`. */
function title(name: string): string {
  if (name === 'etag') return 'ETag'
  return name
    .replace('ratelimit', 'RateLimit')
    .replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())
    .replace('Www', 'WWW')
}
