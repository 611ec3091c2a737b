import { writeFileSync } from 'node:fs'
import type { Server } from './processes.ts'

const BUNDLES = 10_000
const AT_A_TIME = 50
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** What a bundle is made of: seven links with their notes. */
export function contentOf(number: number) {
  return {
    title: `Reading list ${number}`,
    description: 'What to read before the meeting, a page for each day of the week.',
    urls: DAYS.map((day) => `https://${day.toLowerCase()}.example.com/reports/${number}?view=full`),
    urlMetadata: DAYS.map((day) => ({ note: `${day}: report ${number}, and what became of the last one` })),
  }
}

/**
 * Makes the bundles that are asked for, through the API like anybody; gives the slugs.
 * @param key whose they are; without one they are nobody's.
 */
export async function makeBundles({ origin }: Server, count = BUNDLES, key?: string): Promise<string[]> {
  const slugs: string[] = []
  for (let from = 0; from < count; from += AT_A_TIME) {
    slugs.push(
      ...(await Promise.all(Array.from({ length: AT_A_TIME }, (_, index) => makeBundle(origin, from + index, key)))),
    )
  }
  return slugs
}

async function makeBundle(origin: string, number: number, key?: string): Promise<string> {
  const answer = await fetch(`${origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(contentOf(number)),
  })
  if (answer.status !== 201) throw new Error(`a bundle was refused: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { slug: string }).slug
}

/** Writes one launcher to a file as the service answers it to a browser: head and body, byte by byte. */
export function keepLauncher({ origin }: Server, slug: string, file: string): Promise<void> {
  return keepAnswer(`${origin}/l/${slug}`, { 'accept-encoding': 'gzip, deflate, br' }, file)
}

/** Writes the answer to a GET to a file, as `bare.ts` takes it. */
export async function keepAnswer(address: string, headers: Record<string, string>, file: string): Promise<void> {
  const answer = await fetch(address, { headers, decompress: false })
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status}`)
  // The runtime sends these two of its own accord, to the service and to the bare server alike.
  const head = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'content-length')
  writeFileSync(
    file,
    JSON.stringify({ headers: head, body: Buffer.from(await answer.arrayBuffer()).toString('base64') }),
  )
}
