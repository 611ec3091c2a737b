import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import type { Variable } from '../../db/schema.ts'
import { getBundle } from '../bundles/edit/operations.ts'
import type { Listed } from '../bundles/list/listing.ts'
import { completionsOf } from '../bundles/variables/variables.ts'
import { type LauncherLink, launcherLinkIn } from '../core/launcher-link.ts'
import { type Met, Problem, unknownUrl } from '../core/problem.ts'
import { routes } from '../core/routes.ts'
import type { Operation, PublicAnswer } from '../operations/operation.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, refusal } from './strict.ts'

// Resources that an agent can read without tools: its subject’s bundles, and the launcher of any link.

export type Call = (operation: Operation, input: Record<string, unknown>) => Promise<PublicAnswer>

/** Reads a whole page of the caller’s bundles; a tool would get only the part that fits into a message. */
export type ReadList = (input: Record<string, unknown>) => Promise<Pick<Listed, 'bundles'>>

export type ReadLauncher = (link: LauncherLink) => Promise<{ form: 'markdown' | 'json'; text: string }>

/** Reads the variables of a launcher; none if the agent may not see it. */
export type ReadVariables = (slug: string) => Promise<readonly Pick<Variable, 'name' | 'options'>[]>

/** Bundles listed or completed at a time. */
const PAGE = 100
/** Maximum length of a slug’s prefix to complete. */
const MAX_WANTED = 100

/** The start of URIs of the caller’s bundles, whose content is the answer of `get_bundle`. */
const BUNDLE = 'bundle://'

/** The start of URIs of launchers; the rest is as in the launcher’s own link. */
const LAUNCHER = 'openall://l/'

const TEMPLATES = [
  {
    uriTemplate: `${BUNDLE}{slug}`,
    name: 'bundle',
    title: 'A bundle',
    description: getBundle.summary,
    mimeType: 'application/json',
  },
  {
    uriTemplate: `${LAUNCHER}{slug}{?values*}`,
    name: 'launcher',
    title: 'The tabs behind a link',
    description:
      'What /l/{slug} shows to anyone, as Markdown; with .json after the slug, as JSON. `values` are those of its variables, by ' +
      'name. The https: address of a launcher on this server is read the same way.',
    mimeType: 'text/markdown',
  },
]

/** The readers for messages, and the facts about the service that they need. */
interface Reach {
  call: Call
  readList: ReadList
  readLauncher: ReadLauncher
  readVariables: ReadVariables
  /** The host of launchers, with its port. */
  authority: string
  shortPaths: boolean
  met: Met
  /** Counts a message that uses no reader against the key’s limit. */
  count(method: string): Promise<unknown>
}

/** Offers the caller’s bundles, and every launcher, as resources. */
export function offerResources(server: Server, reach: Reach): void {
  const { count, readList, readVariables, met } = reach
  const read: ReadList = async (input) => {
    try {
      return await readList(input)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const code = error.status === 400 ? INVALID_PARAMS : INTERNAL_ERROR
      throw refusal(code, error, met)
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
      if (!(error instanceof Problem)) throw error
      throw error.code === 'NOT_FOUND' ? notFound(uri, error, met) : refusal(INTERNAL_ERROR, error, met)
    })
    return { contents: [{ uri, ...content }] }
  })
  server.setRequestHandler('completion/complete', async ({ params: { argument, context } }) => {
    if (argument.name !== 'slug') {
      await count('completion/complete')
      const slug = argument.name === 'values' ? context?.arguments?.slug : undefined
      const variables = slug === undefined ? [] : await readVariables(slug.trim().slice(0, MAX_WANTED))
      return { completion: { values: completionsOf(argument.value, variables) } }
    }
    const q = argument.value.trim().slice(0, MAX_WANTED)
    const { bundles } = await read({ limit: PAGE, ...(q === '' ? {} : { q }) })
    return { completion: { values: bundles.map(({ slug }) => slug), hasMore: bundles.length === PAGE } }
  })
}

async function contentOf(
  uri: string,
  { call, count, readLauncher, authority, shortPaths, met }: Reach,
): Promise<{ mimeType: string; text: string }> {
  const link = launcherLinkIn(
    uri.startsWith(LAUNCHER) ? uri.replace(LAUNCHER, routes.launcher.page.start) : uri,
    shortPaths,
  )
  if (link !== null && (link.host === '' || link.host === authority)) {
    const { form, text } = await readLauncher(link)
    return { mimeType: MIME_TYPES[form], text }
  }
  if (/^https?:/.test(uri)) {
    await count('resources/read')
    throw refusal(INVALID_PARAMS, new Problem('BAD_REQUEST', notHere(uri, authority)), met)
  }
  const slug = uri.startsWith(BUNDLE) ? uri.slice(BUNDLE.length) : ''
  if (slug === '') {
    await count('resources/read')
    throw notFound(uri, unknownUrl(), met)
  }
  const { body } = await call(getBundle as Operation, { slug })
  return { mimeType: 'application/json', text: JSON.stringify(body) }
}

/** The library's error, which it words for each revision, with the body that every transport sends. */
function notFound(uri: string, problem: Problem, met: Met): ResourceNotFoundError {
  return Object.assign(new ResourceNotFoundError(uri), { data: { uri, ...problem.body(met) } })
}

/** The error for an address elsewhere on the web: what to do about it. */
function notHere(uri: string, authority: string): string {
  return (
    `${uri.slice(0, MAX_WANTED)} is no launcher of ${authority}, and this server reads no other addresses: fetch it, with ` +
    'Accept: text/markdown if it is a launcher of another server.'
  )
}

const MIME_TYPES = { markdown: 'text/markdown', json: 'application/json' } as const
