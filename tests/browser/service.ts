import type { CreatedBundle } from '../../src/bundles/content/answers.ts'
import type { NewBundle } from '../../src/bundles/content/shapes.ts'

/** Creates an anonymous bundle. */
export async function createBundle(
  origin: string,
  bundle: NewBundle,
  headers: Record<string, string> = {},
): Promise<CreatedBundle> {
  const answer = await fetch(`${origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(bundle),
  })
  if (answer.status !== 201) throw new Error(`a bundle was refused: ${await answer.text()}`)
  return answer.json() as Promise<CreatedBundle>
}
