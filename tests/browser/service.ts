import type { CreatedBundle } from '../../src/bundles/answers.ts'
import type { NewBundle } from '../../src/bundles/shapes.ts'

/** Makes a bundle as an API caller without an account does. */
export async function createBundle(origin: string, bundle: NewBundle): Promise<CreatedBundle> {
  const answer = await fetch(`${origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bundle),
  })
  if (answer.status !== 201) throw new Error(`no bundle was made: ${await answer.text()}`)
  return answer.json() as Promise<CreatedBundle>
}
