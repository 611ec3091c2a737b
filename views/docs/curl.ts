import type { Parameter } from '../../src/operations/openapi-types.ts'
import type { Placed } from './placed.ts'

/** The call as a curl command; words in capitals are placeholders. */
export function curl(
  { method, path, operation: { parameters, requestBody, security } }: Placed,
  origin: string,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(parameters, name))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {})
  const isOpen = security.some((way) => Object.keys(way).length === 0)
  return [
    `curl${method === 'GET' || body !== undefined ? '' : ` -X ${method}`}${method === 'PATCH' ? ' -X PATCH' : ''} "${origin}${filled}${search === '' ? '' : `?${search}`}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(body === undefined
      ? []
      : [`-H 'content-type: ${type}'`, `-d '${JSON.stringify(body.examples?.example.value)}'`]),
  ].join(' \\\n  ')
}

function exampleOf(parameters: readonly Parameter[], name: string): string {
  return encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? name))
}
