import type { Server } from '../server.ts'

/** How many requests got the expected answer; the others are in `wrong`. */
export interface Sent {
  views: number
  clicks: number
  /** Distinct viewers of each slug. */
  viewers: Map<string, Set<string>>
  /** Unexpected or missing answers. */
  wrong: string[]
}

/** The header from which the servers under load take the client's address. */
export const ADDRESS_HEADER = 'x-client'

/**
 * Sends views and clicks (3 to 1) over 64 connections, spread evenly over servers and slugs, from many viewers.
 * @param until gets the counts so far; the load ends when its promise resolves.
 */
export async function mixedLoad(
  servers: readonly Pick<Server, 'origin'>[],
  slugs: readonly string[],
  until: (sent: Sent) => Promise<unknown>,
): Promise<Sent> {
  const sent: Sent = { views: 0, clicks: 0, viewers: new Map(slugs.map((slug) => [slug, new Set()])), wrong: [] }
  let isOver = false
  void until(sent).then(() => (isOver = true))
  const connection = async (_: unknown, worker: number) => {
    for (let turn = worker; !isOver; turn += 1) {
      const { origin } = servers[turn % servers.length]!
      const slug = slugs[(turn >> 1) % slugs.length]!
      if (turn % 4 === 3) await click(origin, slug, sent)
      else await view(origin, slug, `10.0.${worker}.${turn % 50}`, sent)
    }
  }
  await Promise.all(Array.from({ length: 64 }, connection))
  return sent
}

async function view(origin: string, slug: string, address: string, sent: Sent): Promise<void> {
  const headers = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', [ADDRESS_HEADER]: address }
  const answer = await fetch(`${origin}/l/${slug}`, { headers }).catch(() => null)
  if (answer?.status === 200) {
    sent.views += 1
    sent.viewers.get(slug)?.add(address)
  } else sent.wrong.push(`a view: ${answer?.status}`)
  await answer?.arrayBuffer().catch(() => null)
}

async function click(origin: string, slug: string, sent: Sent): Promise<void> {
  const headers = { 'user-agent': 'Mozilla/5.0 Firefox/153.0', 'content-type': 'application/json' }
  const body = '{"kind":"open_all","matchedRuleId":null}'
  const target = `${origin}/api/links/${slug}/events`
  const answer = await fetch(target, { method: 'POST', headers, body }).catch(() => null)
  if (answer?.status === 204) sent.clicks += 1
  else sent.wrong.push(`a click: ${answer?.status}`)
}
