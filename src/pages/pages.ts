import { Elysia } from 'elysia'
import { renderSVG } from 'uqr'
import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { pictureName, pictureWords } from '../../views/launcher/picture.ts'
import { assetAt } from '../../views/static.ts'
import { Problem } from '../core/problem.ts'
import { encodeSmall, encodingFor, HTML, headersWith, text } from '../http/respond.ts'
import { type LauncherPages, noBundle } from '../launcher/pages.tsx'
import { Pictures } from '../launcher/pictures.ts'
import { find } from '../launcher/served.ts'
import type { Service } from '../service.ts'

/** Launchers, their other formats (QR code, picture, bookmarks), and static files. */
export function pages(service: Service, launchers: LauncherPages) {
  const { origin, name } = service.config
  const pictures = new Pictures(service.log)
  const bundleBySlug = async (slug: string) => (await find(service.store.db, slug)) ?? noBundle()
  return new Elysia()
    .get('/l/:slug', ({ request, params }) => launchers.answer(request, params.slug))
    .get('/l/:slug/qr.svg', async ({ request, params }) => {
      const { slug } = await bundleBySlug(params.slug)
      const svg = renderSVG(`${origin}/l/${slug}`, { border: 2 })
      return text(request, svg, { type: 'image/svg+xml', headers: { 'cache-control': 'public, max-age=86400' } })
    })
    .get('/l/:slug/picture.png', async ({ request, params }) => {
      const words = pictureWords(name, await launchers.bundleFor(request, params.slug))
      const png = await pictures.png(words)
      // Previews at least show the service's icon.
      if (png === null) return new Response(null, { status: 302, headers: headersWith({ location: '/icon-512.png' }) })
      const isNamed = new URL(request.url).searchParams.get('v') === pictureName(words)
      const headers = {
        'content-type': 'image/png',
        'cache-control': `public, max-age=${isNamed ? '31536000, immutable' : 300}`,
        // Made to be embedded by other sites.
        'cross-origin-resource-policy': 'cross-origin',
      }
      return new Response(png, { headers: headersWith(headers) })
    })
    .get('/l/:slug/bookmarks.html', async ({ request, params }) => {
      const bundle = await launchers.bundleFor(request, params.slug)
      const headers = {
        'content-disposition': `attachment; filename="${bundle.slug}.html"`,
        'cache-control': 'private, no-store',
      }
      return text(request, bookmarksFile(bundle), { type: HTML, headers })
    })
    .get('/static/:file', ({ request }) => staticFile(request))
}

/** Encoded files, by encoding and URL: there are few, and they never change while the process runs. */
const sentFiles = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

async function staticFile(request: Request): Promise<Response> {
  const found = assetAt(new URL(request.url).pathname)
  if (found === undefined) throw new Problem('NOT_FOUND', 'There is no such file.')
  const { address, type, body } = found
  const encoding = encodingFor(request)
  const key = `${encoding} ${address}`
  let sent = sentFiles.get(key)
  if (sent === undefined) sentFiles.set(key, (sent = encodeSmall(body, encoding)))
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  }
  return new Response(await sent, { headers: headersWith(headers) })
}
