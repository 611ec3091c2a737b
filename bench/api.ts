import { writeFileSync } from 'node:fs'
import { actFor, linkIn, mailInBox, press, Visitor } from '../tests/people.ts'
import { contentOf } from './bundles.ts'
import type { Server } from './processes.ts'

async function signUp(server: Pick<Server, 'origin'>): Promise<Visitor> {
  const person = new Visitor(server)
  const email = `${crypto.randomUUID()}@people.example`
  await person.api('POST', '/api/auth/sign-in/magic-link', { email })
  await press(person, linkIn(await mailInBox(server, email, 'Your sign-in link')))
  return person
}

/** How many bundles a start page shows at once. */
const LISTED = 25

/** Makes an organisation with a full start page. @returns the path of that. */
export async function makeStartPage(server: Pick<Server, 'origin'>): Promise<string> {
  const person = await signUp(server)
  const { body } = await person.api<{ id: string }>('POST', '/api/auth/organization/create', {
    name: 'Bench',
    slug: 'bench',
  })
  await actFor(person, body.id)
  const { status } = await person.api('PATCH', `/api/organizations/${body.id}`, { handle: 'bench-team' })
  if (status !== 200) throw new Error(`a handle was refused: ${status}`)
  for (let number = 0; number < LISTED; number += 1) await person.makeBundle({ ...contentOf(number), listed: true })
  return '/o/bench-team'
}

/** Signs up a new user and returns a key of theirs with all link scopes and no rate limit. */
export async function mintKey(server: Pick<Server, 'origin'>): Promise<string> {
  const person = await signUp(server)
  const scopes = ['links:read', 'links:write']
  const minted = await person.api<{ rawKey: string }>('POST', '/api/me/keys', {
    name: 'bench',
    scopes,
    rateLimitPerHour: 0,
  })
  if (minted.status !== 201) throw new Error(`a key was refused: ${minted.status} ${JSON.stringify(minted.body)}`)
  return minted.body.rawKey
}

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/call' }

/** Lines for `calls.lua`, by name of the call. */
export const CALLS = {
  create: () => [`POST /api/links ${JSON.stringify(contentOf(1))}`],
  list: () => ['GET /api/me/links'],
  // Matches one bundle, so the search has to look at all of the user's.
  search: (slugs) => slugs.map((_, number) => `GET /api/me/links?q=report%20${number}%2C`),
  insights: (slugs) => slugs.map((slug) => `GET /api/links/${slug}/insights?range=90d`),
  'MCP call': (slugs) =>
    slugs.map((slug) => {
      const message = { ...MESSAGE, params: { name: 'get_bundle', arguments: { slug } } }
      return `POST /api/mcp ${JSON.stringify(message)}`
    }),
} as const satisfies Record<string, (slugs: readonly string[]) => string[]>

export type Call = keyof typeof CALLS

/** Writes the lines of a call to a file. */
export function writeCalls(call: Call, slugs: readonly string[], file: string): void {
  writeFileSync(file, CALLS[call](slugs).join('\n'))
}
