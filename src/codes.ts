/** Every way a request can fail, and its HTTP status (spec 7, decisions 1). Imports nothing: the SDK has its codes from here. */
export const STATUS = {
  INVALID_URLS: 400,
  BAD_REQUEST: 400,
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  PLAN_LIMIT: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SLUG_TAKEN: 409,
  IDEMPOTENCY_CONFLICT: 409,
  VERSION_CONFLICT: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  MISDIRECTED_REQUEST: 421,
  RATE_LIMITED: 429,
  BLOCKED: 451,
  INTERNAL_ERROR: 500,
} as const

export type Code = keyof typeof STATUS
