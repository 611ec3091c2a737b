import { Elysia } from 'elysia'
import { BOUNDS } from '../bundles/bounds.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { streamParts } from '../http/respond.ts'
import { inspectUrls } from '../inspection/operations.ts'
import type { InspectedLink } from '../inspection/shapes.ts'
import { execute } from '../operations/execute.ts'

/** The titles that pages suggest for links without one: a line of JSON for each, as soon as it is known. */
export function titlePages(service: Service) {
  return new Elysia().post(
    '/found/titles',
    async ({ request }) => {
      const form = await readForm(request)
      const context = await callContext(request, service)
      const conditions = () => ({ idempotencyKey: null, expectedVersion: null })
      const look = async (url: string): Promise<InspectedLink | null> => {
        try {
          const { output } = await execute(inspectUrls, () => ({ urls: [url] }), { ...context, conditions }, service)
          return output.links[0] ?? null
        } catch (error) {
          // Nothing is suggested for it, and nobody has asked in so many words.
          if (error instanceof Problem) return null
          throw error
        }
      }
      const urls = [...new Set(form.getAll('url'))].slice(0, BOUNDS.urls)
      const onError = (error: unknown) => service.log.error({ err: error }, 'titles of links failed midway')
      const headers = { 'content-type': 'application/x-ndjson' }
      return streamParts({ filename: null, parts: linesOf(urls.map(look)) }, headers, onError)
    },
    { parse: 'none' },
  )
}

async function* linesOf(looks: readonly Promise<InspectedLink | null>[]): AsyncGenerator<string, void> {
  const left = new Map(looks.map((look, at) => [at, look.then((link) => ({ at, link }))]))
  while (left.size > 0) {
    const { at, link } = await Promise.race(left.values())
    left.delete(at)
    if (link !== null) yield `${JSON.stringify({ url: link.url, title: link.title })}\n`
  }
}
