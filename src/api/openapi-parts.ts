import type { JsonSchema } from '../core/shape.ts'

// The parts of the document that are the same for every operation.

/** Request headers that stand for a part of the input of every transport. */
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
    'The ETag of the version that you have read: with another one now, the answer is 412 and nothing changes.',
}
export const SERVICE_CLIENT = {
  type: 'string',
  pattern: '^[A-Za-z0-9._-]{1,40}/[A-Za-z0-9._-]{1,40}$',
  description:
    'Which client makes the bundle, as <client>/<tag>: kept in its `metadata`. Anything else is passed over.',
}

/** The query parameter of operations that answer with CSV too. */
export const FORMAT = {
  name: 'format',
  in: 'query' as const,
  required: false,
  description: '`csv` gives the answer as a file, `json` as it is. Without it, what `Accept` likes better.',
  schema: { enum: ['csv', 'json'] },
}

/** Descriptions of response headers. */
export const ANSWERED = {
  etag: 'The version of the bundle, for If-Match.',
  location: 'Where the bundle is read.',
  'idempotency-replayed': '`true` where this is the answer that a first call with the same key got.',
  'ratelimit-policy': 'The limit of the key, after draft-ietf-httpapi-ratelimit-headers.',
  ratelimit: 'What is left of it, and in how many seconds more is.',
  'retry-after': 'Whole seconds to wait.',
  'www-authenticate': 'Bearer: an API key is what to send.',
} as const

/** The headers of a response, with their descriptions. */
export function headers(...names: (keyof typeof ANSWERED)[]): {
  headers?: Record<string, { description: string; schema: JsonSchema }>
} {
  const headers = names.map((name) => [title(name), { description: ANSWERED[name], schema: { type: 'string' } }])
  return names.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}

/** `Retry-After`, as headers are written. */
function title(name: string): string {
  if (name === 'etag') return 'ETag'
  return name
    .replace('ratelimit', 'RateLimit')
    .replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())
    .replace('Www', 'WWW')
}
