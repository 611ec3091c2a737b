import { writeFileSync } from 'node:fs'
import type { Server } from './processes.ts'

const BUNDLES = 10_000
const AT_A_TIME = 50

/** Makes the bundles that are asked for, through the API like anybody; gives the slugs. */
export async function makeBundles({ origin }: Server): Promise<string[]> {
  const slugs: string[] = []
  for (let from = 0; from < BUNDLES; from += AT_A_TIME) {
    slugs.push(
      ...(await Promise.all(Array.from({ length: AT_A_TIME }, (_, index) => makeBundle(origin, from + index)))),
    )
  }
  return slugs
}

async function makeBundle(origin: string, number: number): Promise<string> {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
  const answer = await fetch(`${origin}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      title: `Reading list ${number}`,
      description: 'What to read before the meeting, a page for each day of the week.',
      urls: days.map((day) => `https://${day.toLowerCase()}.example.com/reports/${number}?view=full`),
      urlMetadata: days.map((day) => ({ note: `${day}: report ${number}, and what became of the last one` })),
    }),
  })
  if (answer.status !== 201) throw new Error(`a bundle was refused: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { slug: string }).slug
}

/** Writes one launcher to a file as the service answers it to a browser: head and body, byte by byte. */
export async function keepLauncher({ origin }: Server, slug: string, file: string): Promise<void> {
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  const answer = await fetch(`${origin}/l/${slug}`, { headers, decompress: false })
  // The runtime sends these two of its own accord, to the service and to the bare server alike.
  const head = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'content-length')
  writeFileSync(
    file,
    JSON.stringify({ headers: head, body: Buffer.from(await answer.arrayBuffer()).toString('base64') }),
  )
}
