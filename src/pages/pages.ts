import { Elysia } from 'elysia'
import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { searchName } from '../../views/launcher/head.tsx'
import { pictureName, pictureWords } from '../../views/launcher/picture.ts'
import { OPEN_SEARCH, openSearch } from '../../views/parts/open-search.tsx'
import { assetAt } from '../../views/parts/static.ts'
import { refuseMethod } from '../api/json.ts'
import { formFor } from '../audience/form.ts'
import { linkOf } from '../bundles/link.ts'
import { labelOf } from '../bundles/variables.ts'
import { Problem, unknownUrl } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import { qrProblem, queryOf } from '../core/template.js'
import { RAW } from '../http/body.ts'
import { clientNetwork } from '../http/client.ts'
import { encodeSmall, encodingFor } from '../http/encoding.ts'
import { HTML, headersWith, text } from '../http/respond.ts'
import { filledBundle } from '../launcher/filling.ts'
import { qrCode } from '../launcher/qr.ts'
import { findLauncher, seenBy } from '../launcher/seen.ts'
import { countForAddress } from '../limits/count-requests.ts'
import { askedFor } from './asked-form.ts'
import type { LauncherPages } from './launcher.tsx'
import { launcherAs } from './launcher-forms.ts'
import { Pictures } from './pictures.ts'

/** For what depends on the viewer, or may only be shown until a bundle closes. */
const NOT_KEPT = 'private, no-store'
/** For what hardly changes, and is the same for everybody. */
const KEPT = 'public, max-age=86400'

/** What is below a launcher (feed, QR code, picture, bookmarks), its form with a password, and static files. */
export function pages(service: Service, launchers: LauncherPages) {
  const { config } = service
  const { name } = config
  const pictures = new Pictures(service.log)
  return new Elysia()
    .get('/l/:slug/feed', async ({ request, params: { slug } }) => {
      await countForAddress(service, 'reading', clientNetwork(request), 'feed ')
      return launcherAs({ form: 'feed', slug, isNegotiated: false }, request, service)
    })
    .post(
      '/l/:slug',
      async ({ request, params: { slug } }) => {
        const { isNegotiated } = askedFor(slug, request.headers)
        // Only bundles take passwords, and only at their own link.
        return (isNegotiated ? await launchers.unlock(request, slug) : null) ?? refuseMethod(['GET', 'HEAD'])
      },
      RAW,
    )
    .get('/l/:slug/qr.svg', async ({ request, params }) => {
      const { bundle, filling, isGuarded } = await seenBy(request, params.slug, service)
      const query = queryOf(filling)
      const address = linkOf(bundle.slug, config) + query
      const problem = qrProblem(address)
      if (problem !== null) throw new Problem('BAD_REQUEST', problem)
      const headers = { 'cache-control': isGuarded || query !== '' ? NOT_KEPT : KEPT }
      return text(request, qrCode(address), { type: 'image/svg+xml', headers })
    })
    .get('/l/:slug/opensearch.xml', async ({ request, params }) => {
      const { bundle, isGuarded } = await seenBy(request, params.slug, service)
      const [first] = bundle.variables
      if (first === undefined) throw unknownUrl()
      const { origin } = config
      const xml = openSearch({
        name: searchName(bundle),
        description: `Open its links for: ${labelOf(first)}`,
        template: `${linkOf(bundle.slug, config)}?${first.name}={searchTerms}`,
        origin,
      })
      const headers = { 'cache-control': isGuarded ? NOT_KEPT : KEPT }
      return text(request, xml, { type: OPEN_SEARCH, headers })
    })
    .get('/l/:slug/picture.png', async ({ request, params }) => {
      const { bundle, isGuarded } = await seenBy(request, params.slug, service)
      const words = pictureWords(name, bundle)
      const png = await pictures.png(words, clientNetwork(request))
      // Previews at least show the service's icon.
      if (png === null) return new Response(null, { status: 302, headers: headersWith({ location: '/icon-512.png' }) })
      const isNamed = new URL(request.url).searchParams.get('v') === pictureName(words)
      const headers = {
        'content-type': 'image/png',
        // Its name tells nobody more than the picture does. Without, a shared cache would show the title to people who may no
        // longer see the bundle.
        'cache-control': isGuarded
          ? NOT_KEPT
          : isNamed
            ? 'public, max-age=31536000, immutable'
            : 'private, max-age=300',
        // Made to be embedded by other sites.
        'cross-origin-resource-policy': 'cross-origin',
      }
      return new Response(png, { headers: headersWith(headers) })
    })
    .get('/l/:slug/bookmarks.html', async ({ request, params }) => {
      const { bundle, filling } = await seenBy(request, params.slug, service)
      const headers = {
        'content-disposition': `attachment; filename="${bundle.slug}.html"`,
        'cache-control': NOT_KEPT,
      }
      return text(request, bookmarksFile(filledBundle(bundle, filling)), { type: HTML, headers })
    })
    .get('/l/:slug/:value', async ({ request, params: { slug, value } }) => {
      // Elysia passes null for an undecodable one.
      if (value === null) throw unknownUrl()
      const form = formFor(request.headers)
      return form === 'html'
        ? launchers.answer(request, slug, value)
        : launcherAs({ form, slug, value, isNegotiated: true }, request, service)
    })
    .post(
      '/l/:slug/:value',
      async ({ request, params: { slug, value } }) => {
        const isLocked = (await findLauncher(slug, service))?.gate?.access === 'password'
        return (isLocked ? await launchers.unlock(request, slug, value) : null) ?? refuseMethod(['GET', 'HEAD'])
      },
      RAW,
    )
    .get('/static/:file', ({ request }) => staticFile(request))
}

/** Encoded files, by encoding and URL: there are few, and they never change while the process runs. */
const sentFiles = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

async function staticFile(request: Request): Promise<Response> {
  const found = assetAt(new URL(request.url).pathname)
  if (found === undefined) throw new Problem('NOT_FOUND', 'There is no such file.')
  const { address, type, body, isForFrames } = found
  const encoding = typeof body === 'string' ? encodingFor(request) : 'identity'
  const key = `${encoding} ${address}`
  let sent = sentFiles.get(key)
  if (sent === undefined)
    sentFiles.set(key, (sent = typeof body === 'string' ? encodeSmall(body, encoding) : Promise.resolve(body)))
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    ...(isForFrames ? { 'cross-origin-resource-policy': 'cross-origin' } : {}),
  }
  return new Response(await sent, { headers: headersWith(headers) })
}
