import { writeFileSync } from 'node:fs'
import type { Server } from './processes.ts'

const BUNDLES = 10_000
const CONCURRENCY = 50
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** A bundle of seven links with notes. */
export function contentOf(number: number) {
  return {
    title: `Reading list ${number}`,
    description: 'What to read before the meeting, a page for each day of the week.',
    urls: DAYS.map((day) => `https://${day.toLowerCase()}.example.com/reports/${number}?view=full`),
    urlMetadata: DAYS.map((day) => ({ note: `${day}: report ${number}, and what came of the last one` })),
  }
}

/**
 * Creates bundles through the API.
 * @param key of their owner; without one they are anonymous.
 * @returns their slugs.
 */
export async function makeBundles(
  { origin }: Pick<Server, 'origin'>,
  count = BUNDLES,
  key?: string,
): Promise<string[]> {
  const slugs: string[] = []
  for (let from = 0; from < count; from += CONCURRENCY) {
    slugs.push(
      ...(await Promise.all(
        Array.from({ length: CONCURRENCY }, (_, index) => makeBundle(origin, contentOf(from + index), key)),
      )),
    )
  }
  return slugs
}

/** Creates a bundle through the API. @returns its slug. */
export async function makeBundle(origin: string, content: object, key?: string): Promise<string> {
  const answer = await fetch(`${origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(content),
  })
  if (answer.status !== 201) throw new Error(`a bundle was refused: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { slug: string }).slug
}

/** Saves a launcher to a file exactly as the service sends it to a browser, head and body. */
export function saveLauncher({ origin }: Server, slug: string, file: string): Promise<void> {
  return saveAnswer(`${origin}/l/${slug}`, { 'accept-encoding': 'gzip, deflate, br' }, file)
}

/** Saves the answer to a GET to a file, for `bare.ts` to send. */
export async function saveAnswer(address: string, headers: Record<string, string>, file: string): Promise<void> {
  const answer = await fetch(address, { headers, decompress: false })
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`)
  // The runtime adds these two to every answer, the service's and the bare server's.
  const head = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'content-length')
  writeFileSync(
    file,
    JSON.stringify({ headers: head, body: Buffer.from(await answer.arrayBuffer()).toString('base64') }),
  )
}
