import { operations } from '../src/api/implementations.ts'
import { codesOf } from '../src/api/openapi-answers.ts'

const DECLARED = operations
  .map((operation) => {
    const [method = '', path = ''] = operation.route.split(' ')
    const pattern = new RegExp(
      `^/api${path.replace(/\/:\w+/g, '/[^/?]+').replace('/ext::externalId', '/ext:[^/?]+')}(?:\\?|$)`,
    )
    return { name: operation.name, method, pattern, codes: codesOf(operation, method) as readonly string[] }
  })
  // Paths without parameters first: `/links/bulk` is no slug.
  .toSorted((a, b) => a.pattern.source.split('[').length - b.pattern.source.split('[').length)

/** Says if an operation answered an error that its document does not list: it is missing from the `errors` of `implement`. */
export function undeclared(method: string, path: string, code: string): string | null {
  const found = DECLARED.find((one) => one.method === method && one.pattern.test(path))
  return found === undefined || found.codes.includes(code) ? null : `${found.name} does not declare ${code}`
}
