import type { JsonSchema } from '../core/shape.ts'

// Parts of the document that are the same for every operation.

/** The request headers of call options. */
export const HEADERS = {
  idempotencyKey: 'Idempotency-Key',
  expectedVersion: 'If-Match',
} as const

export const IF_MATCH = {
  type: 'string',
  minimum: undefined,
  maximum: undefined,
  pattern: '^(\\*|"v[0-9]{1,15}")$',
  description:
    'The ETag of the version that you have read: if the bundle has changed since, the answer is 412 and nothing changes.',
}
export const SERVICE_CLIENT = {
  type: 'string',
  pattern: '^[A-Za-z0-9._-]{1,40}/[A-Za-z0-9._-]{1,40}$',
  description:
    'The client that creates the bundle, as <client>/<tag>; stored in its `metadata`. Any other value is ignored.',
}

/** The query parameter of operations that can answer with CSV. */
export const FORMAT = {
  name: 'format',
  in: 'query' as const,
  required: false,
  description: '`csv` returns the answer as a file, `json` as JSON. By default, whichever `Accept` prefers.',
  schema: { enum: ['csv', 'json'] },
}

/** Descriptions of response headers. */
export const ANSWERED = {
  etag: 'The version of the bundle, for If-Match.',
  location: 'The URL of the bundle in this API.',
  'idempotency-replayed': '`true` if this is the stored answer to the first call with the same key.',
  'ratelimit-policy': 'The limit of the key, as in draft-ietf-httpapi-ratelimit-headers.',
  ratelimit: 'What remains of it, and the seconds until it is replenished.',
  'retry-after': 'Whole seconds to wait.',
  'www-authenticate': 'Bearer: send an API key.',
} as const

/** The headers of a response, with their descriptions. */
export function headers(...names: (keyof typeof ANSWERED)[]): {
  headers?: Record<string, { description: string; schema: JsonSchema }>
} {
  const headers = names.map((name) => [title(name), { description: ANSWERED[name], schema: { type: 'string' } }])
  return names.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}

/** A header's name as usually capitalised: `Retry-After`. */
function title(name: string): string {
  if (name === 'etag') return 'ETag'
  return name
    .replace('ratelimit', 'RateLimit')
    .replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())
    .replace('Www', 'WWW')
}
