import { Buffer } from 'node:buffer'
import { Elysia } from 'elysia'
import { refuseMethod } from '../../../src/api/json.ts'
import { formFor } from '../../../src/audience/negotiation.ts'
import { linkOf } from '../../../src/bundles/links/link-fields.ts'
import { labelOf } from '../../../src/bundles/variables/variables.ts'
import { valueAt } from '../../../src/core/launcher-link.ts'
import { Problem, unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { qrProblem, queryOf } from '../../../src/core/template.js'
import { RAW } from '../../../src/http/body.ts'
import { clientNetwork } from '../../../src/http/request.ts'
import { encodeSmall, encodingFor, HTML, headersWith, isUnchanged, text } from '../../../src/http/respond.ts'
import { filledBundle } from '../../../src/launcher/filling.ts'
import { qrCode } from '../../../src/launcher/qr.ts'
import { findLauncher, seenBy } from '../../../src/launcher/seen.ts'
import { countForAddress } from '../../../src/limits/rate-limits.ts'
import { ICON_FILES } from '../../parts/icon-files.ts'
import { OPEN_SEARCH, openSearch } from '../../parts/layout.tsx'
import { assetAt } from '../../parts/static.ts'
import { bookmarksFile } from '../parts/bookmarks.ts'
import { searchName } from '../parts/head.tsx'
import { pictureName, pictureWords } from '../parts/picture.ts'
import { launcherAs, negotiatedFor } from './launcher-forms.ts'
import type { LauncherPages } from './page.tsx'
import { Pictures } from './pictures.ts'

/** For answers that depend on the viewer, or may be shown only until a bundle closes. */
const NOT_KEPT = 'private, no-store'
/** For answers that hardly change and are the same for everybody. */
const KEPT = 'public, max-age=86400'

/** Pages below a launcher (feed, QR code, picture, bookmarks), its password form, and static files. */
export function pages(service: Service, launchers: LauncherPages) {
  const { config } = service
  const { name } = config
  const pictures = new Pictures(service)
  return new Elysia()
    .get(routes.launcher.feed.path, async ({ request, params: { slug } }) => {
      await countForAddress(service, 'reading', clientNetwork(request), 'feed ')
      return launcherAs({ form: 'feed', slug, isNegotiated: false }, request, service)
    })
    .post(
      routes.launcher.page.path,
      async ({ request, params: { slug } }) => {
        const { isNegotiated } = negotiatedFor(slug, request.headers)
        // Only bundles accept passwords, and only at their own link.
        return (isNegotiated ? await launchers.unlock(request, slug) : null) ?? refuseMethod(['GET', 'HEAD'])
      },
      RAW,
    )
    .get(routes.launcher.qr.path, async ({ request, params }) => {
      const { bundle, filling, isGuarded } = await seenBy(request, params.slug, service)
      const query = queryOf(filling)
      const address = linkOf(bundle.slug, config) + query
      const problem = qrProblem(address)
      if (problem !== null) throw new Problem('BAD_REQUEST', problem)
      const headers = { 'cache-control': isGuarded || query !== '' ? NOT_KEPT : KEPT }
      return text(request, qrCode(address), { type: 'image/svg+xml', headers })
    })
    .get(routes.launcher.search.path, async ({ request, params }) => {
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
    .get(routes.launcher.picture.path, async ({ request, params }) => {
      const { bundle, isGuarded } = await seenBy(request, params.slug, service)
      const words = pictureWords(name, bundle)
      const png = await pictures.png(words, clientNetwork(request))
      const shown = { 'content-type': 'image/png', 'cross-origin-resource-policy': 'cross-origin' }
      if (png === null) {
        // Previews then show at least the service's icon. No redirect: not every chat follows one.
        const headers = { ...shown, 'cache-control': isGuarded ? NOT_KEPT : 'private, max-age=60' }
        return new Response(Buffer.from(ICON_FILES['/icon-512.png'], 'base64'), { headers: headersWith(headers) })
      }
      const etag = `"${pictureName(words)}"`
      const isNamed = new URL(request.url).searchParams.get('v') === pictureName(words)
      const headers = {
        ...shown,
        // The name in the address reveals no more than the picture does. Without it, a shared cache would show the title to
        // people who may no longer see the bundle.
        'cache-control': isGuarded
          ? NOT_KEPT
          : isNamed
            ? 'public, max-age=31536000, immutable'
            : 'private, max-age=300',
        ...(isGuarded ? {} : { etag }),
      }
      if (!isGuarded && isUnchanged(request, etag))
        return new Response(null, { status: 304, headers: headersWith(headers) })
      return partOf(png, request, headers)
    })
    .get(routes.launcher.bookmarks.path, async ({ request, params }) => {
      const { bundle, filling } = await seenBy(request, params.slug, service)
      const headers = {
        'content-disposition': `attachment; filename="${bundle.slug}.html"`,
        'cache-control': NOT_KEPT,
      }
      return text(request, bookmarksFile(filledBundle(bundle, filling)), { type: HTML, headers })
    })
    .get(routes.launcher.filled.path, async ({ request, params: { slug, value: sent } }) => {
      // Elysia passes null for an undecodable value.
      if (sent === null) throw unknownUrl()
      const value = valueAt(sent)
      const form = formFor(request.headers)
      return form === 'html'
        ? launchers.answer(request, slug, value)
        : launcherAs({ form, slug, value, isNegotiated: true }, request, service)
    })
    .post(
      routes.launcher.filled.path,
      async ({ request, params: { slug, value } }) => {
        const isLocked = (await findLauncher(slug, service))?.gate?.access === 'password'
        return (
          (isLocked ? await launchers.unlock(request, slug, value && valueAt(value)) : null) ??
          refuseMethod(['GET', 'HEAD'])
        )
      },
      RAW,
    )
    .get(routes.static.path, ({ request }) => staticFile(request))
}

/** A file, or the part of it that is asked for: Signal gets pictures in parts. */
function partOf(file: Uint8Array<ArrayBuffer>, request: Request, headers: Record<string, string>): Response {
  const all = { ...headers, 'accept-ranges': 'bytes' }
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? []
  const from = Number(first)
  const end = last === '' ? file.byteLength : Math.min(Number(last) + 1, file.byteLength)
  // The whole picture answers what is no part of it, and `If-Range`, which may name another one.
  if (first === '' || from >= end || request.headers.has('if-range')) {
    return new Response(file, { headers: headersWith(all) })
  }
  const range = `bytes ${from}-${end - 1}/${file.byteLength}`
  return new Response(file.slice(from, end), { status: 206, headers: headersWith({ ...all, 'content-range': range }) })
}

/** Encoded files, by encoding and URL: they are few, and never change while the process runs. */
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
