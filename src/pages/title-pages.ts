import { Elysia } from 'elysia'
import { BOUNDS } from '../bundles/bounds.ts'
import { Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { readForm } from '../http/body.ts'
import { callContext } from '../http/client.ts'
import { streamParts } from '../http/respond.ts'
import { iconsOf } from '../icons/kept.ts'
import { iconOf, iconPath, type SiteIcon } from '../icons/site.ts'
import { inspectUrls } from '../inspection/operations.ts'
import type { InspectedLink } from '../inspection/shapes.ts'
import { execute } from '../operations/execute.ts'

/** The titles that pages suggest for links without one, and the icons of their sites: a line of JSON for each link, as soon as it is known. */
export function titlePages(service: Service) {
  return new Elysia().post(
    '/found/titles',
    async ({ request }) => {
      const form = await readForm(request)
      const context = await callContext(request, service)
      const conditions = () => ({ idempotencyKey: null, expectedVersion: null })
      const look = async (url: string): Promise<Found | null> => {
        try {
          const { output } = await execute(inspectUrls, () => ({ urls: [url] }), { ...context, conditions }, service)
          const [link] = output.links
          return link === undefined ? null : await foundOf(link, service.store)
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

/** A line of the answer. */
interface Found extends Pick<InspectedLink, 'url' | 'title'> {
  icon: { path: string; tone: SiteIcon['tone'] } | null
}

/** With its icon as it is kept, which says on which grounds it is seen. */
async function foundOf({ url, title, icon }: InspectedLink, { db }: Service['store']): Promise<Found> {
  const kept = icon === null ? undefined : iconOf(url, await iconsOf(db, { urls: [url], resolutionPolicy: null }))
  return { url, title, icon: kept === undefined ? null : { path: iconPath(kept), tone: kept.tone } }
}

async function* linesOf(looks: readonly Promise<Found | null>[]): AsyncGenerator<string, void> {
  const left = new Map(looks.map((look, at) => [at, look.then((found) => ({ at, found }))]))
  while (left.size > 0) {
    const { at, found } = await Promise.race(left.values())
    left.delete(at)
    if (found !== null) yield `${JSON.stringify(found)}\n`
  }
}
