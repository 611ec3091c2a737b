// JSON of which nothing is known yet: whatever is not as it should be reads as nothing.

export function isObject(json: unknown): json is Record<string, unknown> {
  return json !== null && typeof json === 'object' && !Array.isArray(json)
}

export function asObject(json: unknown): Record<string, unknown> {
  return isObject(json) ? json : {}
}

export function asText(json: unknown): string {
  return typeof json === 'string' ? json : ''
}

export function asList(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}
