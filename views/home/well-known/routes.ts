import { Elysia } from 'elysia'
import { SKILL, SKILLS, skillIndex, skillText } from '../../../src/api/guides.ts'
import { refuseMethod } from '../../../src/api/json.ts'
import type { Config } from '../../../src/config/config.ts'
import { unknownUrl } from '../../../src/core/problem.ts'
import { routes } from '../../../src/core/routes.ts'
import type { Service } from '../../../src/core/service.ts'
import { RAW } from '../../../src/http/body.ts'
import { headersWith, JSON_TYPE, text } from '../../../src/http/respond.ts'
import { ICON_FILES } from '../../parts/icon-files.ts'
import { OPEN_SEARCH, openSearch } from '../../parts/layout.tsx'

/** Validity of security.txt, which is generated for each request. RFC 9116 recommends less than a year. */
const EXPIRES_AFTER_MS = 180 * 86_400_000
const PLAIN = 'text/plain; charset=utf-8'
const DAY = { 'cache-control': 'public, max-age=86400' }
/** The list of skills contains a digest of the skill: both change together, with the version of the service. */
const HOUR = { 'cache-control': 'public, max-age=3600' }

/** Launchers stay crawlable for link previews; they have their own `noindex`. */
const ROBOTS = [
  'User-agent: *',
  `Disallow: ${routes.bundles.list.href()}`,
  `Disallow: ${routes.account.claim.start}`,
  `Disallow: ${routes.made.start}`,
  'Disallow: /api/',
  '',
].join('\n')

const CATALOG = '/.well-known/api-catalog'
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
/** These documents contain nothing private. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** The documents of the API as a link set (RFC 9264). */
function catalog(origin: string): string {
  const api = {
    anchor: `${origin}/api`,
    'service-desc': [{ href: `${origin}/api/openapi.json`, type: 'application/json' }],
    'service-doc': [
      { href: `${origin}${routes.docs.reference.href()}`, type: 'text/html' },
      { href: `${origin}/llms.txt`, type: 'text/plain' },
    ],
    status: [{ href: `${origin}/healthz` }],
  }
  return JSON.stringify({ linkset: [api] })
}

function manifest({ name, homeOrganization }: Config): string {
  const icon = (size: number) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' })
  return JSON.stringify({
    name,
    short_name: name,
    id: '/',
    start_url: '/',
    // An installable app, with the browser's buttons to go back and reload. Only installed apps can be share targets.
    display: 'minimal-ui',
    background_color: '#ffffff',
    theme_color: '#0b6b4f',
    share_target: {
      action: (homeOrganization === undefined ? routes.home : routes.paste).href(),
      method: 'GET',
      params: { title: 'title', text: 'text', url: 'url' },
    },
    icons: [icon(192), { ...icon(512), purpose: 'maskable' }],
  })
}

/** The icon at the paths that browsers and systems request. */
function icons() {
  const app = new Elysia()
  for (const [path, base64] of Object.entries(ICON_FILES)) {
    const type = path.endsWith('.ico') ? 'image/x-icon' : 'image/png'
    // Decoded for each request: these are rare, and most processes never need the bytes.
    const answer = () =>
      new Response(Buffer.from(base64, 'base64'), { headers: headersWith({ 'content-type': type, ...DAY }) })
    app.get(path, answer)
  }
  return app
}

/** Well-known URIs (RFC 8615), robots.txt, the web manifest and icons. */
export function wellKnown({ config }: Service) {
  return (
    new Elysia()
      .get('/.well-known/security.txt', ({ request }) => {
        const { securityContact: contact, origin } = config
        if (contact === undefined) throw unknownUrl()
        const expires = new Date(Date.now() + EXPIRES_AFTER_MS).toISOString().replace(/\.\d+/, '')
        const fields = [
          `Contact: ${contact}`,
          `Expires: ${expires}`,
          'Preferred-Languages: en',
          `Canonical: ${origin}/.well-known/security.txt`,
        ]
        return text(request, `${fields.join('\n')}\n`, { type: PLAIN })
      })
      .get('/.well-known/change-password', () => {
        const headers = headersWith({
          location: `${routes.settings.page.href()}#password`,
          'cache-control': 'no-store',
        })
        return new Response(null, { status: 302, headers })
      })
      // RFC 9727: the address where machines find the API's description.
      .get(CATALOG, ({ request }) => {
        const link = `<${config.origin}${CATALOG}>; rel="api-catalog"`
        return text(request, catalog(config.origin), { type: LINKSET, headers: { ...ANY_ORIGIN, ...DAY, link } })
      })
      .get(SKILLS, ({ request }) =>
        text(request, skillIndex(config), { type: JSON_TYPE, headers: { ...ANY_ORIGIN, ...HOUR } }),
      )
      .get(SKILL, ({ request }) => {
        const type = 'text/markdown; charset=utf-8'
        return text(request, skillText(config), { type, headers: { ...ANY_ORIGIN, ...HOUR } })
      })
      .get('/robots.txt', ({ request }) => text(request, ROBOTS, { type: PLAIN, headers: DAY }))
      .get('/site.webmanifest', ({ request }) =>
        text(request, manifest(config), { type: 'application/manifest+json', headers: DAY }),
      )
      .get('/opensearch.xml', ({ request }) => {
        const { name, origin } = config
        const template = `${origin}${routes.bundles.list.href()}?q={searchTerms}&open=1`
        const xml = openSearch({ name, description: 'Find your bundles; if there is one, open it', template, origin })
        return text(request, xml, { type: OPEN_SEARCH, headers: DAY })
      })
      .use(icons())
      .all('/.well-known/security.txt', () => refuseMethod(['GET', 'HEAD']), RAW)
      .all('/.well-known/change-password', () => refuseMethod(['GET', 'HEAD']), RAW)
      .all(CATALOG, () => refuseMethod(['GET', 'HEAD']), RAW)
  )
}
