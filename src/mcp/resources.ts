import { ProtocolError, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import type { Listed } from '../bundles/listing.ts'
import { getBundle } from '../bundles/operations.ts'
import { Problem } from '../core/problem.ts'
import type { PublicAnswer } from '../operations/execute.ts'
import type { Operation } from '../operations/operation.ts'
import { INVALID_PARAMS } from './strict.ts'

// What an agent can read besides calling tools: its subject’s bundles, and the launcher of any link it is given.

export type Call = (operation: Operation, input: Record<string, unknown>) => Promise<PublicAnswer>

/** Reads a page of the caller’s bundles: all of it, of which a tool would get only what fits into a message. */
export type ReadList = (input: Record<string, unknown>) => Promise<Pick<Listed, 'bundles'>>

export type ReadLauncher = (asked: { slug: string; form: 'markdown' | 'json' }) => Promise<{ text: string }>

/** JSON-RPC code of the standard. */
const INTERNAL_ERROR = -32603
/** Bundles listed or completed at a time. */
const PAGE = 100
/** Maximum length of a slug’s prefix to complete. */
const MAX_WANTED = 100

/** A bundle of the caller’s: the answer of `get_bundle`. */
const BUNDLE = 'bundle://'

const TEMPLATES = [
  {
    uriTemplate: `${BUNDLE}{slug}`,
    name: 'bundle',
    title: 'A bundle',
    description: getBundle.summary,
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'openall://l/{slug}',
    name: 'launcher',
    title: 'The tabs behind a link',
    description: 'What /l/{slug} shows to anyone, as Markdown; with .json after the slug, as JSON.',
    mimeType: 'text/markdown',
  },
]

/** How messages reach what they ask for. */
export interface Reach {
  call: Call
  readList: ReadList
  readLauncher: ReadLauncher
  /** Counts a message against the key’s limit that reaches neither. */
  count(method: string): Promise<unknown>
}

/** Offers the caller’s bundles, and every launcher, as resources. */
export function offerResources(server: Server, reach: Reach): void {
  const { count, readList } = reach
  const read: ReadList = async (input) => {
    try {
      return await readList(input)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const code = error.status === 400 ? INVALID_PARAMS : INTERNAL_ERROR
      throw new ProtocolError(code, error.message, error.toJSON())
    }
  }
  server.setRequestHandler('resources/list', async ({ params }) => {
    const offset = Number(params?.cursor ?? 0)
    const { bundles } = await read({ limit: PAGE, offset })
    return {
      resources: bundles.map(({ slug, title, description }) => ({
        uri: BUNDLE + slug,
        name: slug,
        ...(title === null ? {} : { title }),
        ...(description === null ? {} : { description }),
        mimeType: 'application/json',
      })),
      ...(bundles.length < PAGE ? {} : { nextCursor: String(offset + PAGE) }),
    }
  })
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: TEMPLATES }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const content = await contentOf(uri, reach).catch((error) => {
      if (error instanceof Problem && error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri)
      if (error instanceof Problem) throw new ProtocolError(INTERNAL_ERROR, error.message, error.toJSON())
      throw error
    })
    return { contents: [{ uri, ...content }] }
  })
  server.setRequestHandler('completion/complete', async ({ params: { argument } }) => {
    if (argument.name !== 'slug') {
      await count('completion/complete')
      return { completion: { values: [] } }
    }
    const q = argument.value.trim().slice(0, MAX_WANTED)
    const { bundles } = await read({ limit: PAGE, ...(q === '' ? {} : { q }) })
    return { completion: { values: bundles.map(({ slug }) => slug), hasMore: bundles.length === PAGE } }
  })
}

async function contentOf(
  uri: string,
  { call, count, readLauncher }: Reach,
): Promise<{ mimeType: string; text: string }> {
  const [, launcher, json] = /^openall:\/\/l\/([^./?#]+)(\.json)?$/.exec(uri) ?? []
  if (launcher !== undefined) {
    const form = json === undefined ? 'markdown' : 'json'
    const { text } = await readLauncher({ slug: launcher, form })
    return { mimeType: MIME_TYPES[form], text }
  }
  const slug = uri.startsWith(BUNDLE) ? uri.slice(BUNDLE.length) : ''
  if (slug === '') {
    await count('resources/read')
    throw new ResourceNotFoundError(uri)
  }
  const { body } = await call(getBundle as Operation, { slug })
  return { mimeType: 'application/json', text: JSON.stringify(body) }
}

const MIME_TYPES = { markdown: 'text/markdown', json: 'application/json' } as const
