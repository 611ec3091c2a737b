/** @jsxImportSource @kitajs/html */

import { randomUUID } from 'node:crypto'
import { Elysia } from 'elysia'
import { renderSVG } from 'uqr'
import { CreatedPage } from '../../views/home/created.tsx'
import { type HomeForm, HomePage } from '../../views/home/home.tsx'
import { bookmarksFile } from '../../views/launcher/bookmarks.ts'
import { headingOf } from '../../views/launcher/launcher.tsx'
import { assetAt } from '../../views/static.ts'
import { createBundle } from '../bundles/operations.ts'
import { execute } from '../core/execute.ts'
import { Problem } from '../core/problem.ts'
import { readForm } from '../http/body.ts'
import { asking } from '../http/client.ts'
import { encodeSmall, encodingFor, HTML, headersWith, page, text } from '../http/respond.ts'
import { type Pasted, readPasted } from '../imports/paste.ts'
import { type LauncherPages, noBundle } from '../launcher/pages.tsx'
import { find } from '../launcher/served.ts'
import type { Service } from '../service.ts'
import { siteFor } from './site.ts'

const RAW = { parse: 'none' } as const

/** The pages for people, and the files they load. */
export function pages(service: Service, launchers: LauncherPages) {
  const { origin } = service.config
  const found = async (slug: string) => (await find(service.store.db, slug)) ?? noBundle()
  return new Elysia()
    .get('/', async ({ request }) =>
      page(request, <HomePage site={await siteFor(request, service)} form={emptyForm()} />),
    )
    .post('/', ({ request }) => makeBundle(request, service), RAW)
    .get('/l/:slug', ({ request, params }) => launchers.answer(request, params.slug))
    .get('/l/:slug/qr.svg', async ({ request, params }) => {
      const { slug } = await found(params.slug)
      const svg = renderSVG(`${origin}/l/${slug}`, { border: 2 })
      return text(request, svg, { type: 'image/svg+xml', headers: { 'cache-control': 'public, max-age=86400' } })
    })
    .get('/l/:slug/bookmarks.html', async ({ request, params }) => {
      const bundle = await launchers.shown(request, params.slug)
      const headers = {
        'content-disposition': `attachment; filename="${bundle.slug}.html"`,
        'cache-control': 'private, no-store',
      }
      return text(request, bookmarksFile(bundle), { type: HTML, headers })
    })
    .get('/static/:file', ({ request }) => staticFile(request))
}

/** Files as they are sent, by address and encoding: there are few, and none changes while the process runs. */
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

function emptyForm(): HomeForm {
  return { title: '', description: '', text: '', lines: [], errors: {}, idempotencyKey: randomUUID() }
}

const NOTHING_READ: Pasted = { lines: [], urls: [], urlMetadata: [], lineOf: [] }

/** POST /: the operation `create_bundle`, its input from a plain form, its errors beside the lines they concern. */
async function makeBundle(request: Request, service: Service): Promise<Response> {
  const site = await siteFor(request, service)
  const fields = await readForm(request)
  const sent = fields.getAll('urls').join('\n')
  const called = {
    title: fields.get('title')?.trim() || null,
    description: fields.get('description')?.replaceAll('\r\n', '\n').trim() || null,
  }
  let pasted = NOTHING_READ
  /** Called once the request has been charged: what is refused for its number is not read for links. */
  const input = () => {
    pasted = readPasted(sent)
    return { urls: pasted.urls, urlMetadata: pasted.urlMetadata, ...called }
  }
  const conditions = () => ({ idempotencyKey: fields.get('idempotencyKey') || null, expectedVersion: null })
  try {
    const { output } = await execute(
      createBundle,
      input,
      { ...(await asking(request, service)), source: 'web', conditions },
      service,
    )
    return page(
      request,
      <CreatedPage site={site} bundle={output} heading={headingOf({ urls: pasted.urls, ...called })} />,
      201,
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const form = {
      ...emptyForm(),
      ...explain(error, pasted, sent),
      title: called.title ?? '',
      description: called.description ?? '',
    }
    return page(request, <HomePage site={site} form={form} />, error.status, error.headers)
  }
}

/** Puts each thing that is wrong beside the line or field it concerns; what was typed comes back as it was. */
function explain(problem: Problem, pasted: Pasted, sent: string): Pick<HomeForm, 'text' | 'lines' | 'errors'> {
  const errors: HomeForm['errors'] = {}
  const wrong = new Map<number, string>()
  for (const { path, reason } of problem.issues) {
    const [field, index] = path
    // What a form leaves empty is sent as null, which nobody typed.
    const says = `This ${reason.replace(/ or null$/, '')}.`
    const line =
      (field === 'urls' || field === 'urlMetadata') && typeof index === 'number' ? pasted.lineOf[index] : undefined
    if (line !== undefined) wrong.set(line, field === 'urls' ? says : `The title of this link ${reason}.`)
    else if (field === 'title' || field === 'description') errors[field] = says
    else if (field === 'urls') errors.urls = `Your list ${reason}. It has ${pasted.urls.length}.`
    // The form's notes are one to a link: a list of them that is too long is the list of links that is.
    else if (field !== 'urlMetadata') errors.form = problem.message
  }
  if (problem.issues.length === 0) errors.form = problem.message
  const lines = wrong.size === 0 ? [] : pasted.lines.map((text, index) => ({ text, error: wrong.get(index) ?? null }))
  return { text: sent, lines, errors }
}
